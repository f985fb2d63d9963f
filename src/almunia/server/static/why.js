// Why nothing can be chosen at a place: asked of the site, and shown there until the next click.

import { hide as endNaming } from "./names.js";

const AWAY = 14; // pixels between the place and what is said of it
const EDGE = 8; // and between that and the edge of the window

let asked = 0; // of these questions the last one is answered

const place = () => document.querySelector("#why");

// Ask what stands in the way at this point of a picture, with the parts that have been picked.
export async function explain(table, picture, at, picked) {
  const number = ++asked;
  const point = inUnits(picture, at);
  if (!point) return;
  const { x, y } = point;
  const panel = picture.closest("[data-panel]").dataset.panel;
  const query = new URLSearchParams({ panel, x: x.toFixed(2), y: y.toFixed(2), seen: table.dataset.seen });
  for (const [name, value] of picked) query.set(`part-${name}`, value);
  let words = "";
  try {
    const answer = await fetch(`${table.dataset.table}/why?${query}`);
    if (answer.status === 200) words = await answer.text();
  } catch {
    // the line is down, and the page says so
  }
  if (words && number === asked && table.isConnected) show(words, at);
}

// A point in the picture's own units. What a style sheet lays anew says where it would lie (`data-frame`).
function inUnits(picture, at) {
  const frame = at.target.closest("svg [data-frame]");
  if (!frame && picture.querySelector("[data-frame]")) return null;
  const units = (frame ?? picture).getScreenCTM()?.inverse();
  if (!units) return null;
  const point = new DOMPoint(at.clientX, at.clientY).matrixTransform(units);
  const [x, y] = (frame?.dataset.frame ?? "0 0").split(" ").map(Number);
  return { x: point.x + x, y: point.y + y };
}

function show(words, at) {
  const why = place();
  endNaming(); // a reason says more than a name, and would lie under it
  why.innerHTML = words; // the site's own markup, as any other part of the page
  const { width, height } = why.getBoundingClientRect();
  const below = at.clientY + AWAY + height + EDGE <= window.innerHeight;
  const left = Math.min(at.clientX - width / 2, window.innerWidth - width - EDGE);
  why.style.left = `${Math.max(EDGE, left)}px`;
  why.style.top = `${Math.max(EDGE, below ? at.clientY + AWAY : at.clientY - AWAY - height)}px`;
  const target = why.querySelector("[data-target]")?.dataset.target;
  if (target) document.getElementById(target)?.classList.add("barred");
  document.querySelector("#question").classList.add("refused");
}

// Take it away; true if there was something.
export function endWhy() {
  asked += 1;
  const why = place();
  const shown = Boolean(why?.firstChild);
  why?.replaceChildren();
  for (const piece of document.querySelectorAll("svg .barred")) piece.classList.remove("barred");
  document.querySelector("#question")?.classList.remove("refused");
  return shown;
}
