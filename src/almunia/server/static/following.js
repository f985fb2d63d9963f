// What others did is shown move by move, at the reader's pace; the site itself never waits for it.

import { askRoom, isUnderway, putRoom } from "./ask.js";
import { land, ownAct, putDown } from "./flight.js";
import { fitQuestion } from "./question.js";
import { showNewScorings, showScoringOf } from "./scoring.js";
import { tabOf } from "./table-view.js";
import { drawTraces, hasTraces, momentHere } from "./traces.js";

let timer = 0;
let paused = false;

const table = () => document.querySelector("#table");

// The table has moved on to `mark`: the first moment that this page has not shown, or nothing if it cannot be shown.
export function nextMoment(mark) {
  const { dataset } = table();
  const [seat, seen] = mark.split(".");
  if (dataset.pace === "0" || dataset.seat !== seat || !/^[0-9]+$/.test(seen) || dataset.first) return null;
  const next = Number(dataset.seen) + 1;
  return next <= Number(seen) ? `${dataset.table}?at=${next}&first=${next}` : null;
}

export const isFollowing = () => table().dataset.first !== undefined;

function toNow() {
  window.clearTimeout(timer);
  paused = false;
  const then = table().querySelector("#then");
  if (then && !isUnderway()) putRoom(then.innerHTML);
  else askRoom("GET", table().dataset.table);
}

function onward() {
  const { next } = table().dataset;
  if (next) askRoom("GET", next);
  else toNow();
}

// On a narrow page what was touched may lie behind a tab.
function show(piece) {
  const tab = piece && table().querySelector(`#tab-${tabOf(piece)}`);
  if (!tab) return;
  tab.checked = true;
  piece.scrollIntoView({ block: "nearest" });
}

// A key that means something while others' moves are shown; true if it was taken.
export function followKey(key) {
  const button = { ArrowLeft: "#before", ArrowRight: "#after, #to-now", " ": "#pause:not([hidden])", Escape: "#to-now" }[key];
  const found = button && isFollowing() ? document.querySelector(button) : null;
  found?.click();
  return found !== null;
}

window.addEventListener("resize", () => isFollowing() && fitQuestion(table()));

// Point at what the move was about, and go on after a while.
export function beginFollowing() {
  const pace = Number(table().dataset.pace);
  const moment = momentHere();
  if (isFollowing()) fitQuestion(table());
  for (const piece of document.querySelectorAll("svg .told")) piece.classList.remove("told");
  for (const { id } of moment?.touched ?? []) document.getElementById(id)?.classList.add("told");
  show(document.querySelector("svg .told"));
  const own = ownAct();
  putDown(hasTraces() || own !== null);
  drawTraces();
  if (own) land(own, 0);
  else land(moment, pace);
  goOn(pace);
}

function goOn(pace) {
  window.clearTimeout(timer);
  if (!isFollowing()) {
    paused = false;
    showNewScorings(table());
    return;
  }
  const pause = document.querySelector("#pause");
  pause.hidden = pace <= 0;
  pause.textContent = paused ? "▶" : "❚❚";
  pause.setAttribute("aria-label", paused ? "Go on" : "Pause");
  pause.onclick = () => {
    paused = !paused;
    goOn(pace);
  };
  const runs = pace > 0 && !paused;
  if (showScoringOf(table(), runs ? onward : null)) return;
  if (runs) timer = window.setTimeout(onward, pace);
}
