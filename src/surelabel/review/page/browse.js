// The list of any rows: look over, strike out the odd ones, accept the rest.
import { alone, ask, at, classOf, count, drawn, make, open, page, percent, say, showState, tell, titled } from "./review.js";

export function startList() {
  let found = { rows: [], n: 0, page: 0, pages: 0 };
  let here = 0;
  const chosen = new Set();

  const wanted = (number) => ({
    search: at("search").value, label: at("of-class").value, status: at("of-status").value, order: at("order").value, page: number,
  });

  async function load(number = found.page) {
    found = await ask("rows", wanted(number));
    if (found.pages && found.page >= found.pages) found = await ask("rows", wanted(found.pages - 1));
    here = Math.min(here, Math.max(0, found.rows.length - 1));
    for (const row of [...chosen]) if (!found.rows.some((each) => each.row === row)) chosen.delete(row);
    draw();
  }

  function options() {
    for (const [id, first] of [["of-class", "any class"], ["give", "choose a class"]]) {
      const before = at(id).value;
      at(id).replaceChildren(make("option", { value: "", text: first }), ...page.state.classes.map((each) => make("option", { value: each.label, text: each.label })));
      at(id).value = before;
    }
  }

  function line(each, place) {
    const label = each.answer ?? each.label;
    const name = label ?? `${each.guess ?? "nothing"}?`;
    const p = each.answer === null && each.probability !== null ? `, ${percent(each.probability)}` : "";
    const box = make("input", { type: "checkbox", "aria-label": `${titled(each.name)}: ${name}`, onchange: () => toggle(each.row) });
    box.checked = chosen.has(each.row);
    const cells = each.cells.map((cell) => cell.text).filter(Boolean).join("  ·  ");
    return make("div", { class: `line${place === here ? " here" : ""}${box.checked ? " chosen" : ""}`, role: "listitem", "data-row": each.row,
      onclick: (event) => { if (!event.target.matches("input, button")) { here = place; toggle(each.row); } } },
      box, make("span", { class: "number", text: each.name.replace("row ", "") }),
      make("span", { class: "is" }, make("b", { dir: "auto", text: name }), make("small", { text: `${each.status}${p}` })),
      make("span", { class: `text${each.picture ? " drawn" : ""}`, dir: "auto" }, each.picture && drawn(each.picture, titled(each.name)), cells),
      make("button", { type: "button", class: "plain", text: "open", "aria-label": `Open ${each.name}`, onclick: () => open(each.row, "browse") }));
  }

  function draw() {
    options();
    at("rows").replaceChildren(...found.rows.map(line));
    at("rows").classList.toggle("pictures", found.rows.some((each) => each.picture));
    if (!found.rows.length) at("rows").replaceChildren(make("p", { text: "No row is like that." }));
    at("page-number").textContent = `${count(found.n)} rows, page ${count(found.page + 1)} of ${count(Math.max(1, found.pages))}`;
    at("before").disabled = found.page <= 0;
    at("after").disabled = found.page + 1 >= found.pages;
    const n = chosen.size;
    at("n-chosen").textContent = n ? `${count(n)} chosen` : "none chosen";
    at("accept-chosen").disabled = at("give").disabled = !n;
  }

  function toggle(row) {
    if (!chosen.delete(row)) chosen.add(row);
    draw();
  }

  const chooseAll = () => {
    const all = found.rows.every((each) => chosen.has(each.row));
    for (const each of found.rows) if (all) chosen.delete(each.row); else chosen.add(each.row);
    draw();
  };

  const answer = (given) => alone(async () => {
    const rows = [...chosen].sort((a, b) => a - b);
    if (!rows.length) return;
    const seen = Math.max(0, ...found.rows.filter((each) => chosen.has(each.row)).map((each) => each.seen));
    const reply = await tell("answer", { rows, pile: "browse", seen, ...given });
    chosen.clear();
    showState(reply.state);
    await load();
    say(`${rows.length} rows saved.`);
  });

  function key({ key }) {
    if (key === "j" || key === "ArrowDown") here = Math.min(here + 1, found.rows.length - 1);
    else if (key === "k" || key === "ArrowUp") here = Math.max(here - 1, 0);
    else if (key === "x" || key === " ") { if (found.rows[here]) toggle(found.rows[here].row); return true; }
    else if (key === "a") { chooseAll(); return true; }
    else if (key === "o") { if (found.rows[here]) open(found.rows[here].row, "browse"); return true; }
    else if (key === "Enter") { answer({ accept: true }); return true; }
    else if (key >= "0" && key <= "9" && classOf(key) !== undefined) { answer({ label: classOf(key) }); return true; }
    else return false;
    draw();
    at("rows").children[here]?.scrollIntoView({ block: "nearest" });
    return true;
  }

  let waiting;
  const again = () => {
    clearTimeout(waiting);
    if (page.busy) { waiting = setTimeout(again, 50); return; } // what is typed meanwhile counts
    chosen.clear();
    here = 0;
    alone(() => load(0));
  };
  at("search").oninput = () => { clearTimeout(waiting); waiting = setTimeout(again, 200); };
  for (const id of ["of-class", "of-status", "order"]) at(id).onchange = again;
  at("wanted").onsubmit = (event) => { event.preventDefault(); again(); };
  at("before").onclick = () => alone(() => load(found.page - 1));
  at("after").onclick = () => alone(() => load(found.page + 1));
  at("choose-all").onclick = chooseAll;
  at("accept-chosen").onclick = () => answer({ accept: true });
  at("give").onchange = () => { const label = at("give").value; at("give").value = ""; if (label) answer({ label }); };
  return { load, key };
}
