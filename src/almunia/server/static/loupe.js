// Where what may be chosen on the main picture is too small for a finger, or on a phone its letters are too small to be
// read, a part of it is shown large enough, and beside it the whole: a tap or a drag on that moves the part. It starts where the picture says (`.look-here`), or else
// where most is to be gained, or to be chosen.
// What is at hand grows instead, and scrolls sideways.

import { LEAST, sizes } from "./letters.js";
import { tabOf } from "./table-view.js";
import { redrawTraces } from "./traces.js";

const FINGER = window.matchMedia("(pointer: coarse), (max-width: 767px)");
const NARROW = window.matchMedia("(max-width: 767px)");
const TOUCH = 44; // pixels of the smallest target on a phone
const ENOUGH = 30; // and on a tablet, where the whole board is worth more
const MUCH = 0.6; // of the board: whoever sees as much of it needs no overview
const MOST = 4; // times the size that fits, for a board
const SHARP = 0.25; // pixels by which letters may be smaller, since nobody sees it
const CENTRE = { x: 0.5, y: 0.5 }; // of the picture
const EDGE = 8; // pixels beside what has been brought into view
const TWICE = 2; // and for what is at hand
const FOREIGN = ["id", "data-action", "data-part", "data-value", "role", "tabindex", "aria-label", "aria-pressed"];

let kept = null; // how the part was shown at the last decision: {window, width, x, y}, its middle as shares of the picture
const grown = new Map(); // by the id of a picture's place, how many times as wide as its pane it is

// Pixels of the smallest of these elements that are seen.
function least(elements) {
  const sizes = [...elements].map((element) => element.getBoundingClientRect());
  return Math.min(...sizes.filter(({ width }) => width).map(({ width, height }) => Math.min(width, height)));
}

// A picture that has once been enlarged stays so, and its pane with it; beside the tab that is open it is seen as a whole.
function enlarge(drawn, aside) {
  const picture = drawn.querySelector("svg");
  if (!picture) return;
  picture.style.width = "";
  const size = NARROW.matches ? least(drawn.querySelectorAll("[data-action]:not(.away), [data-part]")) : TOUCH;
  if (size < TOUCH && !aside) grown.set(drawn.id, Math.max(grown.get(drawn.id) ?? 1, Math.min(TOUCH / size, TWICE)));
  const times = NARROW.matches && !aside ? grown.get(drawn.id) ?? 1 : 1;
  drawn.classList.toggle("grown", times > 1);
  if (times > 1) drawn.tabIndex = 0; // keys scroll it too, where nothing in it can be chosen
  else drawn.removeAttribute("tabindex");
  if (times > 1) picture.style.width = `${100 * times}%`;
}

// A picture that scrolls sideways shows something of what may be chosen on it.
function bring(drawn) {
  const frame = drawn.getBoundingClientRect();
  const boxes = [...drawn.querySelectorAll("[data-action]:not(.away), [data-part]")].map((element) => element.getBoundingClientRect());
  const seen = ({ left, right }) => left >= frame.left - 1 && right <= frame.right + 1;
  if (!drawn.matches(".grown") || !boxes.length || boxes.some(seen)) return;
  drawn.scrollBy(boxes[0].left - frame.left - EDGE, 0);
}

export class Loupe {
  constructor(table) {
    this.table = table;
    this.board = table.querySelector("#board");
    this.picture = this.board.querySelector("svg");
    this.targets = null;
    this.ears = new AbortController();
    const { signal } = this.ears;
    for (const tab of table.querySelectorAll('.room > [name="tab"]')) tab.addEventListener("change", () => this.look(), { signal });
    window.addEventListener("resize", () => this.look(), { signal });
    this.board.addEventListener("scroll", () => this.follow(), { signal, passive: true });
  }

  // The targets decide: [{element, gain}], what each would earn at once.
  fit(targets) {
    this.targets = targets;
    this.look();
  }

  // Look again how large they are, if that may have changed.
  look() {
    if (!this.targets) return;
    const tab = this.table.querySelector('.room > [name="tab"]:checked')?.value;
    const shown = !(NARROW.matches && tab !== "board"); // elsewhere the board only peeks in, as a whole
    const places = [...this.table.querySelectorAll("svg [data-action]:not(.away)")].map((element) => element.dataset.action);
    const overseen = this.board.matches(".overseen"); // a lesson tells about the board as a whole
    const state = [tab, window.innerWidth, window.innerHeight, overseen, this.targets.length, ...places].join();
    if (state === this.state) return;
    this.state = state;
    for (const drawn of this.table.querySelectorAll(".pane .drawn")) {
      enlarge(drawn, tab !== tabOf(drawn));
      bring(drawn);
    }
    this.whole();
    if (FINGER.matches && shown && !overseen && this.board.clientWidth) this.magnify();
    if (shown && !this.board.matches(".near")) this.reveal();
    redrawTraces();
  }

  magnify() {
    const enough = NARROW.matches ? TOUCH : ENOUGH;
    const touched = this.targets.length ? this.least() < enough : kept?.window === window.innerWidth;
    if (touched || this.letters() < LEAST - SHARP) this.near();
  }

  // Pixels of the smallest letters, which have to be read on a phone; a tablet shows the whole board.
  letters() {
    return NARROW.matches ? Math.min(...sizes(this.picture)) : Infinity;
  }

  // A board that scrolls shows what is asked about: all of it if it has room, and otherwise something of it.
  reveal() {
    const frame = this.board.getBoundingClientRect();
    const boxes = this.targets.map(({ element }) => element.getBoundingClientRect());
    const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
    const seen = boxes.some((box) => box.top >= frame.top && box.bottom <= frame.bottom);
    if (!boxes.length || (seen && bottom - top > frame.height - 2 * EDGE)) return;
    if (top < frame.top) this.board.scrollBy(0, top - frame.top - EDGE);
    else if (bottom > frame.bottom) this.board.scrollBy(0, Math.min(bottom - frame.bottom + EDGE, top - frame.top - EDGE));
  }

  // Pixels of the smallest target.
  least() {
    return least(this.targets.map(({ element }) => element));
  }

  near() {
    this.board.classList.add("near");
    this.board.tabIndex = 0; // keys scroll it too
    let times = this.enlarge();
    if (this.share < MUCH) {
      this.drawOverview();
      times = this.enlarge(); // on a lying phone that stands beside the board, which is narrower then
    }
    const middle = this.middle(times);
    kept = { ...middle, window: window.innerWidth, width: times };
    this.moveTo(middle);
  }

  // As many times as wide as its place as a finger and the letters need.
  enlarge() {
    this.picture.style.width = "100%";
    const touched = this.targets.length ? TOUCH / this.least() : kept?.width ?? 1;
    const times = Math.min(Math.max(1, touched, LEAST / this.letters()), MOST);
    this.picture.style.width = `${100 * times}%`;
    return times;
  }

  // How much of the board the part shows.
  get share() {
    const whole = this.picture.getBoundingClientRect();
    return (this.board.clientWidth * this.board.clientHeight) / (whole.width * whole.height);
  }

  whole() {
    this.board.classList.remove("near");
    this.picture.style.width = "";
    this.overview?.remove();
    this.overview = null;
  }

  end() {
    this.ears.abort();
    this.whole();
  }

  // --- the whole, with a frame around the part ------------------------------------------

  // What it shows can't be chosen there, and is known to everybody from the board.
  drawOverview() {
    this.overview = document.createElement("div");
    this.overview.className = "overview";
    this.overview.setAttribute("aria-hidden", "true");
    const copy = this.picture.cloneNode(true);
    copy.style.width = "";
    for (const element of [copy, ...copy.querySelectorAll("*")]) for (const name of FOREIGN) element.removeAttribute(name);
    const { width, height } = this.picture.viewBox.baseVal;
    const sheet = document.createElement("div");
    sheet.className = "small";
    sheet.style.aspectRatio = `${width} / ${height}`;
    this.frame = document.createElement("div");
    this.frame.className = "frame";
    sheet.append(copy, this.frame);
    this.overview.append(sheet);
    this.board.after(this.overview);
    for (const kind of ["pointerdown", "pointermove"]) this.overview.addEventListener(kind, (event) => this.dragged(event, sheet));
  }

  dragged(event, sheet) {
    if (event.type === "pointerdown") this.overview.setPointerCapture(event.pointerId);
    else if (!this.overview.hasPointerCapture(event.pointerId)) return;
    const box = sheet.getBoundingClientRect();
    this.moveTo({ x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height });
  }

  // The frame goes where the part is.
  follow() {
    if (!this.board.matches(".near")) return;
    const [part, whole] = [this.board.getBoundingClientRect(), this.picture.getBoundingClientRect()];
    const share = (value, size) => Math.min(Math.max(0, value / size), 1);
    const [left, right] = [part.left, part.right].map((x) => share(x - whole.left, whole.width));
    const [top, bottom] = [part.top, part.bottom].map((y) => share(y - whole.top, whole.height));
    const percent = { left, top, width: right - left, height: bottom - top };
    for (const [name, value] of Object.entries(this.overview ? percent : {})) this.frame.style[name] = `${100 * value}%`;
    kept = { ...kept, x: (left + right) / 2, y: (top + bottom) / 2 };
  }

  // --- which part -----------------------------------------------------------------------

  moveTo({ x, y }) {
    const whole = this.picture.getBoundingClientRect();
    const frame = this.board.getBoundingClientRect();
    this.board.scrollBy(whole.x + x * whole.width - frame.x - frame.width / 2, whole.y + y * whole.height - frame.y - frame.height / 2);
    this.follow();
  }

  // Where the picture says; or where it stood, if the best of what may be chosen is seen from there; or around the best.
  middle(times) {
    const whole = this.picture.getBoundingClientRect();
    const frame = { x: this.board.clientWidth / whole.width, y: this.board.clientHeight / whole.height };
    const places = this.targets.map(({ element, gain }) => {
      const box = element.getBoundingClientRect();
      const first = Boolean(element.closest(".look-here"));
      return { x: (box.x + box.width / 2 - whole.x) / whole.width, y: (box.y + box.height / 2 - whole.y) / whole.height, gain, first };
    });
    const told = places.find((place) => place.first);
    if (told) return told;
    const near = (at, to) => 2 * Math.abs(to.x - at.x) < frame.x && 2 * Math.abs(to.y - at.y) < frame.y;
    const around = (at) => places.filter((to) => near(at, to)).length;
    const better = (one, other) => one.gain - other.gain || around(one) - around(other);
    const best = places.reduce((found, place) => (found && better(place, found) <= 0 ? found : place), null);
    if (kept && kept.width === times && (!best || near(kept, best))) return kept;
    return best ?? kept ?? CENTRE;
  }
}
