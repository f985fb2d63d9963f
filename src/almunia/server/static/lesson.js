// The lesson of a first game: one step at a time beside what it is about, which is lifted out of a veil over the rest.

import { open, tabOf } from "./table-view.js";

const NARROW = window.matchMedia("(max-width: 767px)");
const AROUND = 5; // pixels between what is meant and its ring
const CLOSE = 2; // around what a choice would bring, which has an edge of its own
const ROUND = 10; // of the corners of rings and holes
const APART = 14; // and between the ring and the words
const EDGE = 8; // of the window
const MATTERS = 20; // times as much to hide what may be chosen as what is only pointed at
const SETTLED = 300; // milliseconds after which a page that is drawn anew stands still

let ears = null; // of the step that is shown
let shown = ""; // the step that had the focus already

const room = () => document.querySelector("#table");

// Which step was left is remembered, for a page may be loaded anew.
const memory = () => `lesson ${room().dataset.table}`;

function remembered() {
  try {
    return Number(sessionStorage.getItem(memory()) ?? -1);
  } catch {
    return -1;
  }
}

function remember(number) {
  try {
    sessionStorage.setItem(memory(), number);
  } catch {
    // it is told once more, then
  }
}

// Is something told now that is to be read before anything is done?
export const isTelling = () => document.querySelector("#lesson.telling") !== null;

export function beginLesson() {
  ears?.abort();
  ears = new AbortController();
  const words = document.querySelector("#lesson");
  const steps = words ? [...words.querySelectorAll("li")] : [];
  const first = Math.min(Number(words?.dataset.number ?? 1) - 1, steps.length - 1);
  if (!words || remembered() >= steps.length) {
    if (words) words.hidden = true;
    lift(null);
    return;
  }
  new Lesson(words, steps).show(Math.max(first, remembered()));
}

class Lesson {
  constructor(words, steps) {
    Object.assign(this, { words, steps, signal: ears.signal });
    words.querySelector(".foot").hidden = false;
    const on = (target, kind, act, more = {}) => target.addEventListener(kind, act, { signal: ears.signal, ...more });
    const [back, next] = [words.querySelector(".back"), words.querySelector(".on")];
    on(back, "click", () => this.show(this.at - 1));
    on(next, "click", () => this.show(this.at + 1));
    for (const [target, kind] of [[window, "resize"], ...["scroll", "change", "transitionend", "ghost"].map((kind) => [document, kind])]) {
      on(target, kind, () => this.placeSoon(), { capture: true });
    }
    for (const kind of ["click", "keyup"]) on(document, kind, () => this.placeSoon());
    const sizes = new ResizeObserver(() => this.placeSoon());
    for (const one of [room(), ...room().querySelectorAll(".dock, .pane, .drawn, .seat")]) sizes.observe(one);
    ears.signal.addEventListener("abort", () => sizes.disconnect());
  }

  get step() {
    return this.steps[this.at];
  }

  // Is there nothing to be done in this step but to go on?
  get telling() {
    return this.at < this.steps.length - 1 || !("do" in this.step.dataset);
  }

  show(number) {
    remember(number);
    if (number >= this.steps.length) {
      this.end();
      return;
    }
    this.at = number;
    for (const step of this.steps) step.hidden = step !== this.step;
    this.words.classList.add("shown");
    this.words.classList.toggle("telling", this.telling);
    room().querySelector(".room").inert = this.telling;
    room().querySelector("#board").classList.toggle("overseen", this.telling && this.step.dataset.point.split(" ").includes("board"));
    room().dispatchEvent(new Event("lesson")); // what is aimed at is shown when it may be done
    this.drawFoot();
    this.openTab();
    this.place();
    window.setTimeout(() => this.placeSoon(), SETTLED);
    this.takeFocus();
  }

  drawFoot() {
    const { count } = this.words.dataset;
    const closing = this.at >= Number(count);
    this.words.querySelector(".place").hidden = closing;
    this.words.querySelector(".place").textContent = ` · ${this.at + 1} of ${count}`;
    for (const [number, dot] of [...this.words.querySelectorAll(".dots i")].entries()) {
      dot.className = number < this.at ? "done" : number === this.at ? "here" : "";
    }
    this.words.querySelector(".back").disabled = this.at === 0;
    const on = this.words.querySelector(".on");
    on.hidden = !this.telling;
    on.textContent = closing ? "Play on" : "Next";
  }

  // A page that was drawn anew in the same step leaves the focus where it is.
  takeFocus() {
    const now = `${memory()} ${this.at}`;
    if (shown === now) return;
    shown = now;
    (this.telling ? this.words.querySelector(".on") : this.words).focus({ preventScroll: true });
  }

  end() {
    this.words.hidden = true;
    this.words.classList.remove("telling");
    room().querySelector(".room").inert = false;
    room().querySelector("#board").classList.remove("overseen");
    room().dispatchEvent(new Event("lesson"));
    ears.abort();
    lift(null);
    open(room().querySelector('.room > [name="tab"][checked]')); // what is asked now
    room().focus({ preventScroll: true });
  }

  // --- where things are ----------------------------------------------------------------

  get meant() {
    return this.step.dataset.point.split(" ").map(pointedAt).filter(Boolean);
  }

  // What the step allows to be chosen on the pictures.
  get offered() {
    return this.telling ? [] : [...room().querySelectorAll("svg [data-action]:not(.away)")];
  }

  // On a narrow page what is to be chosen comes before what is only pointed at.
  openTab() {
    const tab = [...this.offered, ...this.meant].map(tabOf).find(Boolean);
    if (tab) open(room().querySelector(`#tab-${tab}`));
    for (const element of [...this.offered.slice(0, 1), ...this.meant.reverse()]) element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  placeSoon() {
    window.cancelAnimationFrame(this.soon);
    this.soon = window.requestAnimationFrame(() => this.place());
  }

  place() {
    if (!this.words.isConnected || this.words.hidden || this.signal.aborted) return;
    const seen = (elements, around) => elements.map((element) => seenOf(element, around)).filter(Boolean);
    const meant = seen(this.meant);
    const offered = seen(this.offered);
    const gained = this.telling ? [] : seen([...room().querySelectorAll("#board .ghost")], CLOSE);
    const dock = this.telling ? [] : [boxOf(room().querySelector(".dock"))];
    lift(meant, [...offered, ...gained, ...dock]);
    stand(this.words, [...meant, ...gained], [...offered, ...dock], meant);
  }
}

// What a step points at: a place of the page, a panel, or an element of a picture; if a sheet hides it, its button.
function pointedAt(name) {
  const places = { board: "#board", question: ".dock", seats: ".seats", log: ".pane.log" };
  const panel = `[data-panel="${CSS.escape(name)}"]`;
  const found = room().querySelector(places[name] ?? panel) ?? document.getElementById(name);
  const sheet = found?.closest(".aside:not(:popover-open)");
  if (sheet) return room().querySelector(`[popovertarget="${sheet.id}"]`);
  return found?.matches(".drawn") ? (found.closest(".pane, .theirs") ?? found) : found;
}

function boxOf(element, room = AROUND) {
  const { x, y, width, height } = element.getBoundingClientRect();
  if (!width && !height) return null;
  return { left: x - room, top: y - room, right: x + width + room, bottom: y + height + room };
}

// What is seen of it: on a narrow page the bar lies over the panes.
function seenOf(element, around = AROUND) {
  const box = boxOf(element, around);
  const bar = room().querySelector(".dock");
  if (!box || !NARROW.matches || bar.contains(element)) return box;
  const bottom = Math.min(box.bottom, bar.getBoundingClientRect().top);
  return bottom > box.top ? { ...box, bottom } : null;
}

// --- the veil ------------------------------------------------------------------------------

// Holes in the veil for what is meant, with a ring each, and for all else that may be chosen; no veil without any.
function lift(meant, others = []) {
  if (!meant) {
    document.querySelector("#veil")?.remove();
    return;
  }
  const veil = document.querySelector("#veil") ?? newVeil();
  const [dark, ...rings] = veil.children;
  const outer = `M0 0H${window.innerWidth}V${window.innerHeight}H0Z`;
  dark.style.clipPath = `path(evenodd, "${[outer, ...apart([...meant, ...others]).map(hole)].join("")}")`;
  for (const one of rings.slice(meant.length)) one.remove();
  for (const [number, box] of meant.entries()) put(rings[number] ?? veil.appendChild(element("i")), box);
}

// A rectangle with round corners, as a path.
function hole({ left, top, right, bottom }) {
  const r = Math.min(ROUND, (right - left) / 2, (bottom - top) / 2);
  const turn = (x, y) => `a${r} ${r} 0 0 1 ${x} ${y}`;
  return `M${left + r} ${top}H${right - r}${turn(r, r)}V${bottom - r}${turn(-r, r)}H${left + r}${turn(-r, -r)}V${top + r}${turn(r, -r)}Z`;
}

function newVeil() {
  const veil = element("div");
  veil.id = "veil";
  veil.append(element("div"));
  return document.body.appendChild(veil);
}

// Holes that lie over each other would close again: what lies in another one is left out, what crosses it is joined.
function apart(boxes) {
  const found = [];
  for (let box of boxes) {
    for (let other = found.findIndex((one) => overlap(one, box) > 0); other >= 0; other = found.findIndex((one) => overlap(one, box) > 0)) {
      box = around([box, ...found.splice(other, 1)]);
    }
    found.push(box);
  }
  return found;
}

function put(ring, { left, top, right, bottom }) {
  Object.assign(ring.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
}

const element = (kind) => document.createElement(kind);

const around = (boxes) => ({
  left: Math.min(...boxes.map((box) => box.left)),
  top: Math.min(...boxes.map((box) => box.top)),
  right: Math.max(...boxes.map((box) => box.right)),
  bottom: Math.max(...boxes.map((box) => box.bottom)),
});

function overlap(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(0, width) * Math.max(0, height);
}

// --- the words -----------------------------------------------------------------------------

// Stand beside something, where as little as can be of what is meant and of what may be chosen is hidden.
function stand(words, meant, others, beside) {
  const { offsetWidth: width, offsetHeight: height } = words;
  const spots = NARROW.matches ? overTheBar(height, [...meant, ...others]) : besides(beside, width, height);
  const hidden = (spot) => {
    const box = { left: spot.left, top: spot.top, right: spot.left + width, bottom: spot.top + height };
    const parts = [...meant.map((one) => overlap(one, box)), ...others.map((one) => MATTERS * overlap(one, box))];
    return parts.reduce((sum, part) => sum + part, 0);
  };
  const best = spots.reduce((found, spot) => (hidden(spot) < hidden(found) ? spot : found));
  words.dataset.side = best.side ?? "";
  Object.assign(words.style, { left: `${best.left}px`, top: `${best.top}px` });
  words.style.setProperty("--at", `${best.at ?? 0}px`);
}

// On a narrow page: just above the bar, at the top, or just above or below something that is meant.
function overTheBar(height, boxes) {
  const least = document.querySelector(".top").getBoundingClientRect().bottom + EDGE;
  const most = room().querySelector(".dock").getBoundingClientRect().top - height - EDGE;
  const near = boxes.flatMap((box) => [box.bottom + APART, box.top - APART - height]);
  return [most, least, ...near.filter((top) => top > least && top < most)].map((top) => ({ left: EDGE, top }));
}

function besides(meant, width, height) {
  const [right, bottom] = [window.innerWidth - width - EDGE, window.innerHeight - height - EDGE];
  const corners = [[right, bottom], [EDGE, bottom], [right, EDGE], [EDGE, EDGE]].map(([left, top]) => ({ left, top }));
  if (!meant.length) return corners;
  const it = around(meant);
  const within = (value, most) => Math.max(EDGE, Math.min(value, most));
  const top = within((it.top + it.bottom - height) / 2, bottom);
  const left = within((it.left + it.right - width) / 2, right);
  const down = { top, at: (it.top + it.bottom) / 2 - top };
  const across = { left, at: (it.left + it.right) / 2 - left };
  const sides = [
    { side: "right", left: it.right + APART, ...down },
    { side: "left", left: it.left - APART - width, ...down },
    { side: "below", top: it.bottom + APART, ...across },
    { side: "above", top: it.top - APART - height, ...across },
  ];
  const fits = (spot) => spot.left >= EDGE && spot.left <= right && spot.top >= EDGE && spot.top <= bottom;
  return [...sides.filter(fits), ...corners];
}
