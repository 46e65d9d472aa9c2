// One row, one key. Every text of the table reaches the page by textContent: markup stays text.
import { startList } from "./browse.js";

export const at = (id) => document.getElementById(id);
const KEYS = [..."123456789abcdefghijklmopqrstvwxyz0"]; // u undoes, n names a class
const FEW_CELLS = 14;
const PILES = ["ask", "doubts", "audit", "browse"];
const WORDS = {
  ask: "Rows whose label would teach most, and one in five drawn at random, which tells how good the labels are.",
  doubts: "Labels that were given, and look wrong to models that had not seen them. Keep or change them.",
  browse: "Any row: search, choose many, answer them at once.",
};

export const page = {
  pile: "ask", card: null, state: null, busy: false, tab: Math.random().toString(36).slice(2),
  who: localStorage.getItem("surelabel-name") || document.body.dataset.name,
};

export function make(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "text") node.textContent = value;
    else if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter(Boolean));
  return node;
}

export const titled = (name) => name[0].toUpperCase() + name.slice(1);
export const count = (n) => n.toLocaleString("en");
export const percent = (p) => (p > 0.995 && p < 1 ? "over 99%" : `${Math.round(100 * p)}%`);

export function alarm(words) {
  at("alarm").hidden = !words;
  at("alarm").textContent = words || "";
}

// Good news stays until it is read: an alarm goes away with the next reply of the server.
function news(words) {
  at("news").hidden = !words;
  at("news").firstElementChild.textContent = words || "";
}

export const say = (words) => { at("live").textContent = words; };
const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// Asks until the server replies: the same key again is the same answer, so nothing is written twice.
async function fetched(path, options, words) {
  for (;;) {
    let reply;
    try {
      reply = await fetch(path, options);
    } catch {
      alarm(`${words} The program cannot be reached: is it still running? This page tries again.`);
      await later(1000);
      continue;
    }
    const found = await reply.json().catch(() => ({ error: "The program's reply cannot be read." }));
    if (!reply.ok) {
      alarm(found.error || `${words} (${reply.status})`);
      throw new Error(found.error);
    }
    alarm("");
    return found;
  }
}

export function ask(what, given = {}) {
  const query = new URLSearchParams({ who: page.who, tab: page.tab, ...given });
  return fetched(`api/${what}?${query}`, {}, "Nothing is lost.");
}

export function tell(what, given = {}) {
  const body = JSON.stringify({ key: crypto.randomUUID(), who: page.who, tab: page.tab, ...given });
  const options = { method: "POST", headers: { "content-type": "application/json" }, body };
  return fetched(`api/${what}`, options, "NOT SAVED yet.");
}

// ---- pictures and cells

export function drawn(picture, name) {
  const canvas = make("canvas", { width: picture.width, height: picture.height, role: "img", "aria-label": name });
  const context = canvas.getContext("2d");
  context.fillStyle = getComputedStyle(document.body).color;
  picture.pixels.forEach((value, k) => {
    context.globalAlpha = value / 255;
    context.fillRect(k % picture.width, Math.floor(k / picture.width), 1, 1);
  });
  return canvas;
}

function value(cell) {
  if (!cell.text) return make("span", { class: "value missing", text: "missing" });
  const box = make("span", { class: "value", dir: "auto", text: cell.text + (cell.cut ? " …" : "") });
  if (cell.place !== null && !cell.long) {
    const dot = make("i");
    dot.style.left = `${100 * cell.place}%`;
    const words = `above ${Math.round(100 * cell.place)}% of the column`;
    box.append(make("span", { class: "place" }, make("span", { class: "track", "aria-hidden": "true" }, dot), make("span", { text: words })));
  }
  return box;
}

function speaks(cell) {
  if (cell.why === undefined) return make("span");
  const strength = cell.speaks > 0.15 ? "for" : cell.speaks < -0.15 ? "against" : "";
  const mark = strength === "for" ? "▲ " : strength === "against" ? "▼ " : "";
  const [agreeing, near] = cell.why.match(/[\d,]+/g);
  return make("span", { class: `speaks ${strength}`, title: cell.why },
    make("span", { "aria-hidden": "true", text: `${mark}${agreeing} of ${near} near` }), make("span", { class: "unseen", text: cell.why }));
}

function showCells(card) {
  const fill = (all) => {
    at("cells").replaceChildren(...(all ? card.cells : card.cells.slice(0, FEW_CELLS)).map((cell) =>
      make("div", { class: `cell${cell.long ? " long" : ""}${cell.used ? "" : " unused"}` },
        make("span", { class: "name", dir: "auto", text: cell.name }), cell.long ? speaks(cell) : value(cell), cell.long ? value(cell) : speaks(cell))));
    at("more").hidden = all || card.cells.length <= FEW_CELLS;
  };
  at("more").textContent = `Show all ${count(card.cells.length)} columns`;
  at("more").onclick = () => { fill(true); at("card").focus(); };
  fill(false);
}

function neighbour(near) {
  const cells = near.cells.map((cell) => make("span", { dir: "auto" }, make("em", { text: `${cell.name} ` }), cell.text || "missing"));
  return make("div", { class: "near" }, make("b", { dir: "auto", text: near.label }),
    make("small", { text: `row ${count(near.row + 1)}, ${percent(near.likeness)} alike` }),
    near.picture && drawn(near.picture, `Row ${near.row + 1}, ${near.label}`), cells.length > 0 && make("div", { class: "cells" }, ...cells));
}

// ---- the classes

// A class whose name is a key has that key; the others get those that are left, in their order.
export function keysOf(classes) {
  const keys = new Map();
  for (const { label } of classes) if (KEYS.includes(label.toLowerCase()) && ![...keys.values()].includes(label.toLowerCase())) keys.set(label, label.toLowerCase());
  const free = KEYS.filter((key) => key !== "0" && ![...keys.values()].includes(key));
  for (const { label } of classes) if (!keys.has(label) && free.length) keys.set(label, free.shift());
  return keys;
}

export const classOf = (key) => [...keysOf(page.state.classes)].find(([, each]) => each === key)?.[0];

function classButtons() {
  const text = at("filter").value.trim().toLowerCase();
  const classes = page.state.classes;
  at("filter").hidden = classes.length <= 10;
  const likely = new Map((page.card?.likely || []).map((each) => [each.label, each.probability]));
  const held = page.card?.label;
  const keys = keysOf(classes);
  const shown = classes.filter((each) => each.label.toLowerCase().includes(text));
  at("classes").classList.toggle("two", classes.length > 6);
  at("classes").replaceChildren(...shown.map((each) => {
    const key = keys.get(each.label);
    const p = likely.get(each.label);
    const mark = each.label === held ? "held" : p !== undefined && p !== null && !page.card.hidden ? "likely" : "";
    return make("button", { type: "button", class: mark, "data-class": each.label, "aria-keyshortcuts": key, title: each.label, onclick: () => answer(each.label) },
      make("span", { class: "name", dir: "auto", text: each.label }),
      make("span", {}, p !== undefined && p !== null && make("small", { text: `${percent(p)} ` }), each.label === held && make("small", { text: "given " }), key && make("kbd", { text: key })));
  }));
  if (!shown.length) at("classes").replaceChildren(make("p", { text: "No class is called that. n names a new one." }));
  return shown;
}

function acceptButton() {
  const { suggestion, pile } = page.card;
  at("accept").hidden = suggestion === null;
  if (suggestion === null) return;
  const p = page.card.likely.find((each) => each.label === suggestion)?.probability;
  const words = pile === "doubts" ? `instead of ${page.card.label}` : p !== undefined && p !== null ? `suggested, ${percent(p)}` : "suggested";
  at("accept").replaceChildren(make("span", {}, make("span", { dir: "auto", text: suggestion }), make("small", { text: words })), make("kbd", { text: "Enter" }));
}

// ---- what is shown

function about() {
  if (page.pile !== "audit") { at("about").textContent = WORDS[page.pile]; return; }
  const { checked, right, filled, bound } = page.state.audit;
  const said = checked === 0
    ? `Filled labels in random order; what was filled in stays hidden until you answer. Stop whenever you like: what follows holds then.`
    : "";
  at("about").replaceChildren(said || make("span", {},
    "With 95% confidence at least ", make("b", { text: `${(Math.floor(1000 * bound) / 10).toFixed(1)}%` }),
    ` of the ${count(filled)} filled labels are right: ${count(right)} of ${count(checked)} checked. This holds whenever you stop.`));
}

function recent(answer) {
  const said = answer.label ?? "cannot tell";
  const audit = answer.pile === "audit" && answer.filled !== null && answer.filled !== undefined;
  const agrees = audit && answer.filled === answer.label;
  const note = audit ? (agrees ? "as filled in" : `filled in: ${answer.filled}`) : answer.pile;
  const other = answer.who && answer.who !== page.who ? `, ${answer.who}` : "";
  return make("li", { "data-number": answer.number },
    make("span", { class: "said" }, make("b", { dir: "auto", text: said }), " ",
      make("small", { class: audit ? (agrees ? "right" : "wrong") : "", dir: "auto", text: `${answer.name}, ${note}${other}, saved` })),
    make("button", { type: "button", class: "plain", text: "change", "aria-label": `Change ${answer.name}: ${said}`, onclick: () => open(answer.row, answer.pile) }));
}

function goal(state) {
  at("goal").hidden = state.goal === null;
  if (state.goal === null || at("goal").textContent === state.goal.words) return;
  at("goal").textContent = state.goal.words;
  at("goal").classList.toggle("reached", state.goal.stop);
}

export function showState(state) {
  page.state = state;
  goal(state);
  for (const button of document.querySelectorAll("nav button")) {
    const { all, answered } = state.piles[button.dataset.pile];
    button.querySelector(".left").textContent = button.dataset.pile === "browse" ? count(all) : `${count(all - answered)} left`;
    button.setAttribute("aria-current", button.dataset.pile === page.pile);
  }
  const { all, answered } = state.piles[page.pile];
  at("done").style.width = `${all ? (100 * answered) / all : 0}%`;
  const parts = [`${count(state.answered)} answered`];
  if (state.changed) parts.push(`${count(state.changed)} new or changed`);
  if (state.disputed) parts.push(`${count(state.disputed)} disputed`);
  if (state.rate) parts.push(`${Math.round(state.rate)} rows a minute`);
  at("progress").textContent = parts.join(" · ");
  at("who").textContent = page.who ? `as ${page.who}` : "who are you?";
  at("new").hidden = state.several; // a row has a label or not
  at("recent").replaceChildren(...state.recent.map(recent));
  at("past").hidden = !state.recent.length;
  about();
}

export function show({ card, state }) {
  showState(state);
  page.card = card;
  at("many").hidden = page.pile !== "browse" || card !== null;
  at("one").hidden = card === null;
  at("nothing").hidden = card !== null || page.pile === "browse";
  if (card === null) {
    if (page.pile !== "browse") showNothing();
    return;
  }
  at("heading").textContent = `${titled(card.name)}${state.several ? "?" : ""}`;
  at("status").textContent = card.hidden ? "what is it?" : card.label !== null ? `given: ${card.label}` : card.status;
  const before = card.answers.map((each) => `${each.who || "somebody"}: ${each.label ?? "cannot tell"}`).join("; ");
  at("standing").hidden = !before;
  at("standing").textContent = before && `Answered already. ${before}. A new answer replaces it.`;
  at("picture").replaceChildren(...(card.picture ? [drawn(card.picture, `${titled(card.name)} as a picture`)] : []));
  showCells(card);
  const said = card.cells.some((cell) => cell.why !== undefined);
  at("measure").hidden = !said;
  at("measure").textContent = said ? `“5 of 10 near” means: of the 10 labelled rows nearest in that column, 5 are ${card.suggestion}. Columns that speak most for ${card.suggestion} come first.` : "";
  at("nearest").replaceChildren(...card.nearest.map(neighbour));
  at("nearest-box").hidden = !card.nearest.length;
  at("filter").value = "";
  classButtons();
  acceptButton();
  at("card").focus({ preventScroll: true });
  scrollTo({ top: 0 });
}

function showNothing() {
  const { all } = page.state.piles[page.pile];
  at("nothing-heading").textContent = all ? "All answered" : "Nothing here";
  const empty = {
    ask: "No row came unlabelled.", doubts: "No given label looks wrong, or too few labels are known to tell.",
    audit: "No label was filled in.",
  }[page.pile];
  at("nothing-words").textContent = all ? "Rows that others look at just now may come back. u takes back your last answer." : empty;
  at("nothing-heading").focus();
}

// ---- what a person does

export async function alone(work) {
  if (page.busy) return;
  page.busy = true;
  document.body.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    if (at("alarm").hidden) alarm(String(error));
  } finally {
    page.busy = false;
    document.body.removeAttribute("aria-busy");
  }
}

export const goTo = (pile) => alone(async () => {
  page.pile = pile;
  if (pile === "browse") {
    show({ card: null, state: await ask("state") });
    await list.load();
  } else show(await ask("next", { pile }));
  say(`${pile}. ${page.card ? at("heading").textContent : ""}`);
});

export const open = (row, pile) => alone(async () => {
  if (PILES.includes(pile)) page.pile = pile;
  show(await ask("row", { row, pile: page.pile }));
});

const answer = (label) => alone(async () => {
  const { row, name, seen, hidden } = page.card;
  const browsing = page.pile === "browse";
  const found = await tell("answer", { rows: [row], label, pile: page.pile, seen, next: !browsing });
  const shown = hidden ? found.state.recent[0]?.filled : null;
  show(browsing ? { card: null, state: found.state } : found);
  if (browsing) await list.load();
  const reveal = shown ? (shown === label ? " It was filled in so." : ` It was filled in as ${shown}.`) : "";
  say(`${titled(name)} saved: ${label ?? "cannot tell"}.${reveal} ${page.card ? at("heading").textContent : ""}`);
});

const skip = () => alone(async () => {
  if (page.pile === "browse") { show({ card: null, state: page.state }); return; }
  show(await tell("skip", { row: page.card.row, pile: page.pile, next: true }));
  say(`Skipped. ${page.card ? at("heading").textContent : ""}`);
});

export const undo = () => alone(async () => {
  const found = await tell("undo", {});
  if (found.undone === null || found.undone === undefined) { say("There is nothing to undo."); return; }
  if (page.pile === "browse" && page.card === null) {
    showState(found.state);
    await list.load();
  } else {
    page.pile = found.card.pile;
    show(found);
  }
  say(`Taken back: ${found.card.name}.`);
});

function asked(heading, before, then) {
  at("asking-heading").textContent = heading;
  at("asked").value = before;
  const dialog = at("asking");
  dialog.returnValue = "";
  dialog.onclose = () => { const text = at("asked").value.trim(); if (dialog.returnValue === "yes" && text) then(text); else at("card").focus(); };
  dialog.showModal();
  at("asked").select();
}

const newClass = () => asked("Name the new class", at("filter").value, answer);
const rename = () => asked("Your name, kept with your answers", page.who, (name) => {
  page.who = name;
  localStorage.setItem("surelabel-name", name);
  alone(async () => showState(await ask("state")));
});

// ---- keys

function pressed(event) {
  if (event.altKey || event.metaKey || document.querySelector("dialog[open]")) return;
  const typing = event.target.matches("input:not([type=checkbox]), select, textarea");
  if (event.target === at("filter")) return filterKey(event);
  if (typing) { if (event.key === "Escape") { event.target.blur(); at("card").focus(); } return; }
  if (event.ctrlKey) { if (event.key === "z") { event.preventDefault(); undo(); } return; }
  const onControl = event.target.matches("button, a, input") && (event.key === "Enter" || event.key === " ");
  if (onControl) return;
  const done = act(event.key) || (page.pile === "browse" && page.card === null ? list.key(event) : rowKey(event));
  if (done) event.preventDefault();
}

function act(key) {
  const step = { "[": -1, "]": 1 }[key];
  if (step) goTo(PILES[(PILES.indexOf(page.pile) + step + PILES.length) % PILES.length]);
  else if (key === "?") at("help").showModal();
  else if (key === "u") undo();
  else return false;
  return true;
}

function rowKey({ key }) {
  if (page.card === null) return false;
  const { suggestion } = page.card;
  if (key === "Enter") { if (suggestion !== null) answer(suggestion); else say("The suggestion is hidden: choose a class."); }
  else if (key === " ") skip();
  else if (key === "-") answer(null);
  else if (key === "n") { if (!page.state.several) newClass(); }
  else if (key === "/") { if (!at("filter").hidden) at("filter").focus(); }
  else if (key === "Escape" && page.pile === "browse") show({ card: null, state: page.state });
  else if (classOf(key) !== undefined) answer(classOf(key));
  else return false;
  return true;
}

function filterKey(event) {
  if (event.key === "Escape") { at("filter").value = ""; classButtons(); at("card").focus(); }
  else if (event.key === "Enter") {
    const shown = classButtons();
    if (shown.length && at("filter").value.trim()) answer(shown[0].label);
  } else return;
  event.preventDefault();
}

// ---- the update

async function follow() {
  for (;;) {
    const found = await ask("update");
    at("update").disabled = found.running;
    at("update").textContent = found.running ? found.words || "Working…" : "Take the answers in";
    if (!found.running) {
      if (found.done) await goTo(page.pile);
      if (found.words) (found.done ? news : alarm)(found.words);
      return;
    }
    await later(700);
  }
}

const list = startList();
document.addEventListener("keydown", pressed);
for (const button of document.querySelectorAll("nav button")) button.onclick = () => goTo(button.dataset.pile);
at("accept").onclick = () => answer(page.card.suggestion);
at("unknown").onclick = () => answer(null);
at("new").onclick = newClass;
at("skip").onclick = skip;
at("undo").onclick = undo;
at("filter").oninput = classButtons;
at("who").onclick = rename;
at("news").lastElementChild.onclick = () => { news(""); at("card").focus(); };
at("help-open").onclick = () => at("help").showModal();
if (document.body.dataset.updates === "yes") {
  at("update").onclick = async () => { await tell("update", {}); await follow(); };
  ask("update").then((found) => { if (found.running) follow(); }); // another tab may have begun it
}
const first = new URLSearchParams(location.hash.slice(1)).get("pile");
goTo(PILES.includes(first) ? first : "ask").then(() => { document.documentElement.dataset.ready = "yes"; });
