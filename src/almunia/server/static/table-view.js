// The tabs of a narrow page: a new question opens the one that it is about, a dot marks those with something to choose,
// and a swipe goes to the neighbour.

import { isStill } from "./motion.js";
import { reachBoard } from "./panels.js";

let here = null; // the tab that was open when the table was drawn anew
let asked = null; // and the decision it was open for, if there was one

const decision = (table) => table.querySelector(".question.yours") && table.dataset.seen;
const chosen = (table) => table.querySelector('.room > [name="tab"]:checked');

export function leaveTabs(table) {
  here = chosen(table)?.value ?? null;
  asked = decision(table);
}

// Whoever reads stays where they are, until a question is theirs.
export function openTab(table) {
  const anew = decision(table) && decision(table) !== asked;
  const input = table.querySelector(anew || !here ? '.room > [name="tab"][checked]' : `#tab-${here}`);
  if (input) open(input);
  reachBoard();
}

// Open a tab, and tell whoever draws by what is open.
export function open(input) {
  if (input.checked) return;
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

const NARROW = window.matchMedia("(max-width: 767px)");
const LEAST = 24; // pixels of what a finger can choose

// These may be chosen now; with `go` their tab opens, unless one of them is in reach already.
export function pointTabs(table, elements, go) {
  const tabs = [...new Set(elements.map(tabOf).filter(Boolean))];
  const meant = tabs.length && table.querySelector(`#tab-${tabs[0]}`);
  if (go && meant && !elements.some((element) => inReach(table, element))) open(meant);
  for (const label of table.querySelectorAll(".tabs label")) label.classList.toggle("due", tabs.includes(label.dataset.tab));
}

function inReach(table, element) {
  if (NARROW.matches && tabOf(element) !== chosen(table)?.value) return false; // the board only peeks in
  const box = element.getBoundingClientRect();
  return Math.max(box.width, box.height) >= LEAST;
}

// A tap on the board that peeks in beside what is at hand opens its own tab.
function peeked(event) {
  const table = event.target.closest?.(".pane.board") && event.target.closest("#table");
  if (table && NARROW.matches && chosen(table)?.value === "hand") open(table.querySelector("#tab-board"));
}

export function tabOf(element) {
  const names = element.closest(".pane, .seats")?.classList ?? [];
  return [...names].find((name) => name.startsWith("in-"))?.slice("in-".length);
}

// --- swipes ------------------------------------------------------------------------------

const FAR = 60; // pixels that a finger goes sideways
const STEEP = 0.5; // of that, at most, up or down
const SWIPE = 200; // milliseconds that a pane comes in

let start = null; // where a single finger was put down on a pane that does not scroll sideways

function begun(event) {
  const { target, touches } = event;
  const pane = target.closest?.("#table .panes");
  const free = pane && touches.length === 1 && !target.closest(".overview, input, textarea") && !scrolls(target, pane);
  start = free ? { pane, x: touches[0].clientX, y: touches[0].clientY } : null;
}

function ended(event) {
  if (!start || event.touches.length) return;
  const [finger] = event.changedTouches;
  const [dx, dy] = [finger.clientX - start.x, finger.clientY - start.y];
  const { pane } = start;
  start = null;
  if (Math.abs(dx) < FAR || Math.abs(dy) > STEEP * Math.abs(dx)) return;
  goOn(pane, dx < 0 ? 1 : -1);
}

// Does anything between an element and its pane scroll sideways?
function scrolls(element, pane) {
  for (let one = element; one && one !== pane; one = one.parentElement) {
    if (one.scrollWidth > one.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(one).overflowX)) return true;
  }
  return false;
}

// To the neighbour of the tab that is open, if there is one.
function goOn(pane, step) {
  const table = pane.closest("#table");
  const tabs = [...table.querySelectorAll(".tabs label")].filter((label) => label.offsetParent).map((label) => label.dataset.tab);
  const next = tabs[Math.max(0, tabs.indexOf(chosen(table)?.value)) + step];
  if (!next) return;
  open(table.querySelector(`#tab-${next}`));
  if (!isStill()) pane.animate([{ transform: `translateX(${40 * step}px)`, opacity: 0.3 }, {}], { duration: SWIPE, easing: "ease-out" });
}

document.addEventListener("click", peeked);
document.addEventListener("touchstart", begun, { passive: true });
document.addEventListener("touchend", ended, { passive: true });
document.addEventListener("touchcancel", () => (start = null), { passive: true });
