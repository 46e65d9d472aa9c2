"use strict";
// Everything that comes from the data is set as text, never as markup.
(() => {
  const page = JSON.parse(document.getElementById("content").textContent);
  const find = (id) => document.getElementById(id);
  const make = (tag, words, name) => {
    const element = document.createElement(tag);
    if (words !== undefined) element.textContent = words;
    if (name) element.className = name;
    return element;
  };

  // ---- rows: columns of the page's data -> one record each
  const columns = Object.entries(page.rows).map(([name, column]) =>
    [name, column.codes ? column.codes.map((code) => (code < 0 ? null : column.levels[code])) : column]);
  const n = columns.length ? columns[0][1].length : 0;
  const rows = Array.from({ length: n }, (_, i) => {
    const row = { i };
    for (const [name, values] of columns) row[name] = values[i];
    return row;
  });

  // ---- the table
  const heads = [
    ["row", "row"], ["label", "label or guess"], ["filled", "status"], ["probability", "probability", 3], ["gap", "lead", 3], ["runner_up", "runner-up"],
    ["confidence", "confidence", 2], ["round", "round", 0], ["right", "right"], ["status", "for training"],
  ].filter(([name]) => name in page.rows);
  const perPage = 25;
  const state = { sort: "gap", up: true, filled: null, words: "", brush: null, at: 0, open: new Set() };
  for (const row of rows) row.found = heads.map(([name]) => row[name]).concat(page.values[row.i] || []).join("\n").toLowerCase();

  const shown = (row, name, digits) => {
    const value = row[name];
    if (name === "round") return value > 0 ? String(value) : "–";
    if (name === "right") return value === null ? "–" : value ? "yes" : "no";
    if (value === null || value === undefined) return "–";
    return digits === undefined ? String(value) : value.toFixed(digits).replace("-", "−");
  };
  const within = (value, [a, b]) => value !== null && value >= Math.min(a, b) && value <= Math.max(a, b);
  const chosen = () => {
    const words = state.words.toLowerCase().split(/\s+/).filter(Boolean);
    const left = rows.filter((row) =>
      (!state.filled || row.filled === state.filled) &&
      (!state.brush || (within(row.gap, state.brush.gap) && within(row.confidence, state.brush.confidence))) &&
      words.every((word) => row.found.includes(word)));
    const key = state.sort, way = state.up ? 1 : -1;
    const order = new Intl.Collator(undefined, { numeric: true });
    return left.sort((a, b) => {
      const [x, y] = [a[key], b[key]];
      if (x === null || y === null) return (x === null) - (y === null) || a.i - b.i;
      return way * (typeof x === "number" ? x - y : order.compare(x, y)) || a.i - b.i;
    });
  };
  const line = (row) => {
    const tr = make("tr", undefined, "line");
    for (const [name, , digits] of heads) {
      const td = make("td", undefined, digits === undefined ? (["filled", "right", "status"].includes(name) ? "words" : "name") : "n");
      if (name === "status") {
        const dot = make("span", undefined, "dot");
        dot.style.background = page.outcomes[row.outcome];
        td.append(dot);
      }
      td.append(shown(row, name, digits));
      if (td.className === "name") td.title = shown(row, name);
      tr.append(td);
    }
    if (page.valueNames.length) tr.addEventListener("click", () => {
      if (!state.open.delete(row.i)) state.open.add(row.i);
      draw();
    });
    return tr;
  };
  const details = (row) => {
    const tr = make("tr", undefined, "values"), td = make("td");
    td.colSpan = heads.length;
    page.valueNames.forEach((name, j) => {
      const item = make("span", `${name} `);
      item.append(make("b", page.values[row.i][j]));
      td.append(item);
    });
    tr.append(td);
    return tr;
  };
  const draw = () => {
    const table = find("rows");
    if (!table) return;
    const list = chosen();
    const last = Math.max(Math.ceil(list.length / perPage) - 1, 0);
    state.at = Math.min(state.at, last);
    const begin = state.at * perPage;
    const body = table.tBodies[0];
    body.replaceChildren();
    for (const row of list.slice(begin, begin + perPage)) {
      body.append(line(row));
      if (state.open.has(row.i)) body.append(details(row));
    }
    if (!list.length) {
      const tr = make("tr"), td = make("td", "No row is like that.", "empty");
      td.colSpan = heads.length;
      tr.append(td);
      body.append(tr);
    }
    for (const th of table.tHead.rows[0].cells)
      th.setAttribute("aria-sort", th.dataset.name !== state.sort ? "none" : state.up ? "ascending" : "descending");
    find("where").textContent = list.length
      ? `${(begin + 1).toLocaleString("en")}–${Math.min(begin + perPage, list.length).toLocaleString("en")} of ${list.length.toLocaleString("en")}`
      : "0 rows";
    table.dataset.count = list.length;
    find("before").disabled = state.at === 0;
    find("after").disabled = state.at >= last;
    for (const chip of find("chips").children) chip.setAttribute("aria-pressed", String((chip.dataset.filled || null) === state.filled));
    const picked = find("picked");
    if (picked) {
      picked.firstElementChild.textContent = state.brush
        ? `${list.length.toLocaleString("en")} rows in the frame: they are in the table below.`
        : "Draw a frame in the chart to see its rows in the table.";
      find("unbrush").hidden = !state.brush;
    }
  };
  const change = (what) => { Object.assign(state, { at: 0 }, what); draw(); };

  if (find("rows")) {
    const head = find("rows").tHead.insertRow();
    for (const [name, title, digits] of heads) {
      const th = make("th", undefined, digits === undefined ? "" : "n"), button = make("button", title);
      th.dataset.name = name;
      button.type = "button";
      button.addEventListener("click", () => change({ sort: name, up: state.sort === name ? !state.up : true }));
      th.append(button);
      head.append(th);
    }
    const chip = (words, filled) => {
      const button = make("button", words);
      button.type = "button";
      if (filled) button.dataset.filled = filled;
      button.addEventListener("click", () => change({ filled: filled || null }));
      find("chips").append(button);
    };
    chip("all", null);
    for (const filled of page.filled) if (rows.some((row) => row.filled === filled)) chip(filled, filled);
    find("search").addEventListener("input", (event) => change({ words: event.target.value }));
    find("before").addEventListener("click", () => { state.at -= 1; draw(); });
    find("after").addEventListener("click", () => { state.at += 1; draw(); });
    draw();
  }

  // ---- the charts
  const font = getComputedStyle(document.body).fontFamily;
  const config = {
    font, background: "transparent", view: { stroke: null },
    axis: { labelColor: "#5a626d", titleColor: "#5a626d", titleFontWeight: "normal", titleFontSize: 12, labelFontSize: 12, gridColor: "#e5e6e8", domainColor: "#8a919b", tickColor: "#8a919b", titlePadding: 8 },
    axisY: { domain: false, ticks: false },
    legend: { labelColor: "#5a626d", titleColor: "#5a626d", labelFontSize: 12 },
    header: { labelColor: "#5a626d" }, text: { color: "#5a626d" },
  };
  const narrow = window.innerWidth < 560;
  // Axes take what room they need, and only a drawn chart knows how much; the rest is the plot's.
  const views = new Map(), busy = new Set();
  const beyond = (box) => {
    const over = box.scrollWidth - box.clientWidth;
    return over > 0 ? over : box.querySelector("svg").getBoundingClientRect().width - box.clientWidth;
  };
  const fit = async (box) => {
    if (busy.has(box)) return;
    busy.add(box);
    const view = views.get(box);
    for (let drawn = 0; drawn < 3; drawn += 1) { // a narrower plot may have other labels on its axes
      const width = view.width(), extra = beyond(box);
      if (extra <= 0 && extra >= -14) break; // a little less than the room there is need not be drawn again
      await view.width(Math.max(width - extra - (extra > 0 ? 2 : 0), 120)).runAsync();
      if (extra > 14 && beyond(box) > extra / 2) { // it is the legend that is wide
        await view.width(width).runAsync();
        break;
      }
    }
    busy.delete(box);
  };
  window.addEventListener("resize", () => views.forEach((_, box) => fit(box)));
  const embed = async (box) => {
    const name = box.dataset.chart, spec = page.charts[name];
    if (name === "confidence") spec.datasets.rows = rows;
    if (narrow && spec.encoding?.facet) Object.assign(spec, { width: 128 }).encoding.facet.columns = 2;
    const wide = !spec.encoding?.facet && (name !== "confusions" || narrow || spec.width > box.clientWidth);
    if (wide) spec.width = Math.max(box.clientWidth - 68, 120);
    if (narrow && name === "promise") spec.layer[0].encoding.color.legend.columns = 1;
    if (narrow && name === "round_classes" && spec.encoding.color.legend) spec.encoding.color.legend.columns = 3;
    const { view } = await vegaEmbed(box, spec, {
      mode: "vega-lite", renderer: "svg", ast: true, config,
      actions: { export: true, source: false, compiled: false, editor: false }, downloadFileName: `surelabel-${name}`,
    });
    if (wide) {
      views.set(box, view);
      await fit(box);
    }
    box.dataset.drawn = "yes";
    if (name !== "confidence") return;
    view.addSignalListener("brush", (_, brush) => {
      const frame = brush.gap && brush.confidence ? { gap: brush.gap, confidence: brush.confidence } : null;
      change({ brush: frame });
    });
    find("unbrush").addEventListener("click", async () => { box.replaceChildren(); await embed(box); change({ brush: null }); });
  };
  (async () => {
    for (const box of document.querySelectorAll("[data-chart]")) await embed(box);
    document.documentElement.dataset.ready = "yes";
  })();
})();
