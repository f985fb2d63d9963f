// What others did is shown move by move, at the reader's pace; the site itself never waits for it.

import { askRoom } from "./ask.js";
import { tabOf } from "./tabs.js";

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
  askRoom("GET", table().dataset.table);
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
  const button = { ArrowLeft: "#before", ArrowRight: "#after", " ": "#pause:not([hidden])", Escape: "#to-now" }[key];
  const found = button && isFollowing() ? document.querySelector(button) : null;
  found?.click();
  return found !== null;
}

// Light up what the move was about, and go on after a while.
export function beginFollowing() {
  window.clearTimeout(timer);
  for (const piece of document.querySelectorAll("svg .told")) piece.classList.remove("told");
  if (!isFollowing()) {
    paused = false;
    return;
  }
  for (const link of document.querySelectorAll(".follow [data-ref]")) document.getElementById(link.dataset.ref)?.classList.add("told");
  show(document.querySelector("svg .told"));
  const pace = Number(table().dataset.pace);
  const pause = document.querySelector("#pause");
  pause.hidden = pace <= 0;
  pause.textContent = paused ? "▶" : "❚❚";
  pause.setAttribute("aria-label", paused ? "Go on" : "Pause");
  pause.onclick = () => {
    paused = !paused;
    beginFollowing();
  };
  if (pace > 0 && !paused) timer = window.setTimeout(onward, pace);
}
