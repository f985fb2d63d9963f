// What a move has put somewhere flies there: from where it was, or else from its player's card, or the reader's hand.

import { isStill } from "./motion.js";
import { onScreen, outline, placeIn } from "./traces.js";

const SVG = "http://www.w3.org/2000/svg";
const LENGTH = 350; // milliseconds
const SHARE = 0.8; // of the time for which a move is shown, if that is short
const NEAR = 4; // pixels that are no movement
const MOST = 8; // things that fly at once; if more have moved, the picture has been laid out anew

let landing = []; // the animations that run
let before = null; // the pictures as they were, where everything lay, and how much of the play they showed

function visible(box) {
  return box.width > 0 && box.height > 0;
}

const panelOf = (piece) => piece.closest("[data-panel]");
const pictureOf = (piece) => panelOf(piece)?.querySelector(":scope > svg") ?? piece.ownerSVGElement;

// Remember how the table looks, before it is drawn anew.
export function takeOff() {
  before = null;
  for (const one of landing) one.cancel();
  landing = [];
  if (isStill()) return;
  const places = new Map();
  for (const piece of document.querySelectorAll("#table svg [id]")) {
    const box = piece.getBoundingClientRect();
    places.set(piece.id, { box, panel: panelOf(piece)?.id, place: visible(box) ? placeIn(pictureOf(piece), box) : null });
  }
  const pictures = [...document.querySelectorAll("#table [data-panel] > svg")].map((svg) => svg.cloneNode(true));
  const find = (id) => pictures.map((svg) => svg.querySelector(`[id="${CSS.escape(id)}"]`)).find(Boolean) ?? null;
  const hand = document.querySelector("#table .in-hand svg [data-part].chosen")?.getBoundingClientRect();
  before = { places, find, hand, seen: Number(document.querySelector("#table").dataset.seen) };
}

// What the reader has just done, as a moment; null if this page shows something else, or has shown it before.
export function ownAct() {
  const { own, touched, seat } = document.querySelector("#table").dataset;
  if (!before || own === undefined || Number(own) <= before.seen) return null;
  const ids = touched.split(" ").filter(Boolean);
  return { own: true, seat: Number(seat), touched: ids.map((id) => ({ id })) };
}

// A style sheet lets pieces slide to their places; that is only true of one that has lain on the page before. What flies,
// or is outlined, lies at its place at once as well: else it would be looked for where the slide begins.
export function putDown(followed) {
  for (const slide of document.getAnimations()) {
    const piece = slide instanceof CSSTransition && slide.effect.target.closest("#table svg [id]");
    if (piece && (followed || !before?.places.has(piece.id))) slide.finish();
  }
}

// How an element is drawn, whatever is heard of it.
const look = (element) => element.outerHTML.replace(/ (aria-[a-z]+|role|tabindex)="[^"]*"/g, "");
const drawnIn = (group) => [...group.children].filter((child) => !child.matches("title, [data-action]"));

// What has come to a piece: all of it, or those parts that it did not have; of a part that is mostly as it was, the same.
function arrived(piece, old = before.find(piece.id)) {
  if (!old) return [piece];
  const had = new Set([...old.children].map(look));
  return drawnIn(piece).filter((child) => !had.has(look(child))).flatMap((child) => {
    const was = drawnIn(old).find((one) => isMostly(child, one));
    return was ? arrived(child, was) : [child];
  });
}

// Is a group another one, but for less than half of what is drawn in it?
function isMostly(group, other) {
  const had = new Set([...other.children].map(look));
  const drawn = drawnIn(group);
  return 2 * drawn.filter((child) => had.has(look(child))).length > drawn.length;
}

function centre(box) {
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}

function distance(one, other) {
  return Math.hypot(centre(one).x - centre(other).x, centre(one).y - centre(other).y);
}

// Where on the screen a piece was seen before; on the same picture where it was there, for the part that is shown may be
// another one now.
function wasAt(piece) {
  const old = before.places.get(piece.id);
  if (!old?.place) return null;
  return old.panel === panelOf(piece)?.id ? onScreen(pictureOf(piece), old.place) : old.box;
}

// Where a piece comes from that was nowhere before: from the card of whose board it lies on, or of the seat that has moved;
// on a narrow page, from where that one's points stand.
function home(piece, seat) {
  const reader = Math.max(0, Number(document.querySelector("#table").dataset.seat));
  const mine = piece.closest("#board") && document.querySelector("#table .theirs"); // everybody has a board
  const mark = `.mark.seat-${(mine ? reader : seat) % 6}`;
  const marks = [...document.querySelectorAll(`.seat > h2 > ${mark}, .chips ${mark}`)];
  const theirs = piece.closest(".seat")?.querySelector("h2 > .mark");
  return (theirs ? [theirs] : marks).map((one) => one.getBoundingClientRect()).find(visible) ?? null;
}

const within = (element) => [element, ...element.querySelectorAll("*")];

// A copy of a piece over the whole page, in the styles of its picture; those that hang on its pane are put down in it.
function copy(piece) {
  const picture = piece.ownerSVGElement;
  const sky = document.createElementNS(SVG, "svg");
  const place = document.createElementNS(SVG, "g");
  const { a, b, c, d, e, f } = piece.parentNode.getScreenCTM();
  const flying = piece.cloneNode(true);
  const transforms = within(piece).map((one) => getComputedStyle(one).transform);
  for (const [number, one] of within(flying).entries()) {
    one.removeAttribute("id");
    one.style.transform = transforms[number];
  }
  sky.setAttribute("class", `flight ${picture.getAttribute("class") ?? ""}`);
  place.setAttribute("transform", `matrix(${a} ${b} ${c} ${d} ${e} ${f})`);
  place.append(flying);
  const path = document.createElementNS(SVG, "g");
  path.append(place);
  sky.append(path);
  sky.setAttribute("aria-hidden", "true");
  return { sky, path };
}

function fly(piece, from, duration) {
  const to = piece.getBoundingClientRect();
  if (!visible(to) || distance(from, to) < NEAR) return;
  const { sky, path } = copy(piece);
  document.body.append(sky);
  const shift = `translate(${centre(from).x - centre(to).x}px, ${centre(from).y - centre(to).y}px)`;
  const flight = path.animate([{ transform: shift }, { transform: "none" }], { duration, easing: "ease-out" });
  landing.push(flight, piece.animate([{ opacity: 0 }, { opacity: 0 }], { duration }));
  for (const end of ["finish", "cancel"]) flight.addEventListener(end, () => sky.remove());
}

// Let fly what the moment has touched; what was there before leaves a dashed outline where it lay.
export function land(moment, pace) {
  if (!before || !moment) return;
  const duration = pace > 0 ? Math.min(LENGTH, SHARE * pace) : LENGTH;
  const flights = [];
  for (const { id } of moment.touched) {
    const piece = document.getElementById(id);
    const svg = piece?.closest("#table svg");
    if (!svg || !visible(piece.getBoundingClientRect())) continue;
    const old = wasAt(piece);
    const moved = old && distance(old, piece.getBoundingClientRect()) >= NEAR;
    if (moved && !moment.own) outline(svg, placeIn(svg, old), "left");
    const hand = moment.own && before.hand && visible(before.hand) ? before.hand : null;
    const from = moved ? old : (hand ?? home(piece, moment.seat));
    if (from) flights.push(...(moved ? [piece] : arrived(piece)).map((one) => [one, from]));
  }
  before = null;
  if (flights.length <= MOST) for (const [piece, from] of flights) fly(piece, from, duration);
}
