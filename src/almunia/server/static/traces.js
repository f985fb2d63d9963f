// What others' moves touched is outlined in the pictures, each outline with the number of its move.

import { isStill } from "./motion.js";

const SVG = "http://www.w3.org/2000/svg";
const EDGE = 3; // pixels between a piece and its outline
const BADGE = 9; // pixels: half the height of a number
const RISE = 400; // milliseconds in which points rise

function shape(name, facts, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(facts)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Where something lies on the screen, in the units of a picture; nothing if it cannot be seen there.
export function placeIn(svg, box) {
  const matrix = svg.getScreenCTM();
  if (!matrix || !box.width || !box.height) return null;
  const [start, end] = [new DOMPoint(box.left, box.top), new DOMPoint(box.right, box.bottom)].map((point) => point.matrixTransform(matrix.inverse()));
  return { x: start.x, y: start.y, width: end.x - start.x, height: end.y - start.y, pixel: 1 / matrix.a };
}

// Where a place of a picture is seen on the screen now.
export function onScreen(svg, { x, y, width, height }) {
  const matrix = svg.getScreenCTM();
  const [start, end] = [new DOMPoint(x, y), new DOMPoint(x + width, y + height)].map((point) => point.matrixTransform(matrix));
  return new DOMRect(start.x, start.y, end.x - start.x, end.y - start.y);
}

// What stands for a piece on the screen: all of it, unless it says itself where its heart is.
const boxOf = (piece) => (piece.querySelector(".heart") ?? piece).getBoundingClientRect();

function layer(svg) {
  const found = svg.querySelector(":scope > .traces");
  if (found) return found;
  const made = shape("g", { class: "traces", "aria-hidden": "true" });
  svg.append(made);
  return made;
}

// An outline around a place of a picture.
export function outline(svg, place, kind) {
  const edge = EDGE * place.pixel;
  const rect = { x: place.x - edge, y: place.y - edge, width: place.width + 2 * edge, height: place.height + 2 * edge, rx: 2 * edge };
  layer(svg).append(shape("rect", { class: `outline ${kind}`, ...rect }));
}

function badge(svg, place, number, kind) {
  const edge = svg.viewBox.baseVal; // a number lies on its picture as a whole
  const [x, y] = ["x", "y"].map((line) => Math.max(place[line], edge[line] + BADGE * place.pixel));
  const group = shape("g", { class: `badge ${kind}`, transform: `translate(${x} ${y}) scale(${place.pixel})` });
  group.append(shape("circle", { r: BADGE }), shape("text", { y: 4 }, number));
  layer(svg).append(group);
}

function points(svg, place, words) {
  const half = 5 + 4.5 * words.length;
  const outer = shape("g", { transform: `translate(${place.x + place.width} ${place.y}) scale(${place.pixel})` });
  const group = shape("g", { class: "earned" });
  group.append(shape("rect", { x: -half, y: -12, width: 2 * half, height: 24, rx: 12 }), shape("text", { y: 5 }, words));
  outer.append(group);
  layer(svg).append(outer);
  if (isStill()) return;
  const frames = [{ opacity: 0, transform: "translateY(22px)" }, { opacity: 1, transform: "none" }];
  group.animate(frames, { duration: RISE, easing: "ease-out" });
}

function words(value) {
  return value.split(" ").filter(Boolean);
}

// The moments that are marked, the last one first, each with the ids of what it touched.
function moments() {
  return [...document.querySelectorAll(".trace > [data-touched]")].map((item, index) => {
    const earned = words(item.dataset.earned);
    const touched = words(item.dataset.touched).map((id, place) => ({ id, earned: earned[place] }));
    return { number: index + 1, here: item.classList.contains("here"), seat: Number(item.dataset.seat), touched };
  }).reverse();
}

// The moment that is shown now, if one is.
export const momentHere = () => moments().find((moment) => moment.here) ?? null;

export const hasTraces = () => document.querySelector(".trace > [data-touched]") !== null;

export function clearTraces() {
  for (const old of document.querySelectorAll("svg > .traces")) old.remove();
}

// Outline what all marked moments touched; where several touched the same, the last one says so.
export function drawTraces() {
  clearTraces();
  const marked = new Set();
  for (const moment of moments()) {
    const kind = moment.here ? "here" : "earlier";
    for (const { id, earned } of moment.touched) {
      const piece = document.getElementById(id);
      const svg = piece?.closest("#table svg");
      const place = svg && !marked.has(id) && placeIn(svg, boxOf(piece));
      if (!place) continue;
      marked.add(id);
      outline(svg, place, kind);
      badge(svg, place, moment.number, kind);
      if (moment.here && earned !== "0" && earned !== "+0") points(svg, place, earned);
    }
  }
}

// Draw them anew where pictures have changed their size.
export const redrawTraces = () => document.querySelector("svg > .traces") && drawTraces();

// They stay until the reader does something.
export function watchTraces() {
  window.addEventListener("resize", () => window.requestAnimationFrame(redrawTraces));
  document.addEventListener("click", (event) => {
    if (event.target.closest("#table :is(svg, #choose, .moves, .back)") && !event.target.closest(".theirs")) clearTraces();
  });
  document.addEventListener("keydown", (event) => {
    if (["Enter", "Escape"].includes(event.key) || /^[0-9r]$/i.test(event.key)) clearTraces();
  });
}
