// A scoring lies over the table as a sheet until the reader puts it away, and can be called up again from the log.

// It tells the page (`scoring`) when it has come, or won't.

import { tabOf } from "./table-view.js";

const sheet = () => document.querySelector("#scoring");
const waiting = []; // the scorings still to be shown, each with what is to be done afterwards
let known = null; // the scorings that this page has shown, or that were over when it was opened
let after = null; // what is to be done when the sheet is put away
let busy = false; // is one shown, or on its way?

// Is one on its way, which will lie over what can be chosen now?
export const isScoringDue = () => busy && !sheet().open;

async function open({ address, done }) {
  busy = true;
  after = done;
  let text = null;
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    if (answer.ok) text = await answer.text();
  } catch {
    // the line is down: the log has the scoring
  }
  if (text === null) return next();
  sheet().innerHTML = text;
  sheet().classList.remove("peeking");
  sheet().showModal();
  sheet().scrollTop = 0;
  document.dispatchEvent(new Event("scoring"));
}

function next() {
  const done = after;
  after = null;
  busy = false;
  done?.();
  if (!busy && waiting.length) open(waiting.shift());
  document.dispatchEvent(new Event("scoring"));
}

export function showScoring(address, done = null) {
  if (busy) waiting.push({ address, done });
  else open({ address, done });
}

// The scorings that have come about since the page was drawn last, but for those that are followed.
export function showNewScorings(table) {
  const all = table.dataset.scorings.split(" ").filter(Boolean);
  const fresh = known ? all.filter((seen) => !known.has(seen)) : [];
  known = new Set([...(known ?? []), ...all]);
  if (table.dataset.pace === "0") return;
  for (const seen of fresh) showScoring(`${table.dataset.table}?scoring=${seen}`);
}

// The scoring of a moment that is followed; true if it is shown now, for the first time.
export function showScoringOf(table, done) {
  const { scoring } = table.dataset;
  if (!scoring || known?.has(scoring)) return false;
  known = new Set([...(known ?? []), scoring]);
  showScoring(`${table.dataset.table}?scoring=${scoring}`, done);
  return true;
}

function light(ids) {
  for (const piece of document.querySelectorAll("svg .scores")) piece.classList.remove("scores");
  const pieces = ids.map((id) => document.getElementById(id)).filter(Boolean);
  for (const piece of pieces) piece.classList.add("scores");
  const tab = pieces.length && document.querySelector(`#tab-${tabOf(pieces[0])}`);
  if (tab) tab.checked = true;
}

// The sheet makes room for the board, on which a column's pieces are lit up.
function peek(column) {
  for (const one of sheet().querySelectorAll("[data-light]")) one.setAttribute("aria-pressed", String(one === column));
  if (!sheet().matches(".peeking")) {
    sheet().close("peek");
    sheet().classList.add("peeking");
    sheet().show();
  }
  column.focus();
  light(column.dataset.light.split(" "));
}

function unpeek() {
  light([]);
  sheet().close("peek");
  sheet().classList.remove("peeking");
  sheet().showModal();
}

export function linkScorings() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.scored");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showScoring(link.href);
  });
  sheet().addEventListener("click", (event) => {
    const column = event.target.closest("[data-light]");
    if (column) peek(column);
    else if (event.target.closest(".peek")) peek(sheet().querySelector("[data-light]"));
    else if (event.target.closest(".unpeek")) unpeek();
  });
  sheet().addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !sheet().matches(".peeking")) return;
    event.stopPropagation();
    sheet().close();
  });
  sheet().addEventListener("close", () => {
    if (sheet().returnValue === "peek") {
      sheet().returnValue = "";
      return;
    }
    light([]);
    next();
  });
}
