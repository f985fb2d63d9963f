// Others' boards are small on their cards, and on a phone the main one, where nothing is to be chosen and no part of it
// shown. Letters that nobody could read there are left out, and a press shows the board large.

import { LEAST, sizes } from "./letters.js";

const MOST = 4; // times as large as a window has room for
const PICTURES = ".theirs .drawn > svg";
const NARROW = window.matchMedia("(max-width: 767px)");

let opened = null; // the id of the place whose picture is shown large

const isSmall = (pixels) => pixels < LEAST - 0.25;

function fit() {
  for (const button of document.querySelectorAll("button.closer")) button.hidden = false;
  for (const picture of document.querySelectorAll(PICTURES)) picture.classList.toggle("tiny", sizes(picture).some(isSmall));
  const board = document.querySelector("#board > svg");
  const whole = NARROW.matches && !document.querySelector("#choices");
  const shown = board && whole ? sizes(board) : [];
  board?.classList.toggle("tiny", shown.filter(isSmall).length > shown.length / 2); // a few may be small: the others are read
}

// The place of a picture that is too small here, and may be shown large: somebody's board, or the main one.
const placeOf = (element) => element?.closest(".theirs .drawn, #board:has(> .tiny)") ?? element?.closest(".theirs")?.querySelector(".drawn");

function sheet() {
  const found = document.querySelector("#closer");
  if (found) return found;
  const made = document.createElement("section");
  made.id = "closer";
  made.className = "aside closer";
  made.popover = "auto";
  made.innerHTML = '<header><h2></h2><button type="button" popovertarget="closer" popovertargetaction="hide">Close</button></header><div class="drawn"></div>';
  made.addEventListener("toggle", (event) => {
    if (event.newState === "closed") opened = null;
  });
  return document.body.appendChild(made);
}

// A copy of the picture: its pieces keep their names, but what points at pieces means those on the card.
function copyOf(picture) {
  const copy = picture.cloneNode(true);
  copy.classList.remove("tiny");
  for (const one of copy.querySelectorAll(".traces, [data-action], defs")) one.remove();
  for (const one of copy.querySelectorAll("[id]")) one.removeAttribute("id");
  return copy;
}

function show(place) {
  const picture = place.querySelector(":scope > svg");
  const name = (place.closest(".seat") ?? place.closest(".pane")).getAttribute("aria-label");
  const large = sheet();
  large.setAttribute("aria-label", `${name}, larger`);
  large.querySelector("h2").textContent = name;
  const copy = copyOf(picture);
  large.querySelector(".drawn").replaceChildren(copy);
  opened = place.id;
  if (!large.matches(":popover-open")) {
    large.showPopover();
    large.querySelector("button").focus({ preventScroll: true }); // keys are for what lies over the rest
  }
  if (NARROW.matches) enlarge(copy);
}

// Make a picture so large that all its letters can be read; it scrolls.
function enlarge(picture) {
  const times = Math.min(Math.max(...sizes(picture).map((pixels) => LEAST / pixels)), MOST);
  const width = picture.viewBox.baseVal.width * picture.getScreenCTM().a * times;
  if (times > 1) Object.assign(picture.style, { flex: "none", width: `${width}px`, height: "auto", maxWidth: "none" });
}

// After the page has been drawn anew, or has another size.
export function fitTheirs() {
  fit();
  const place = opened && placeOf(document.getElementById(opened));
  if (place) show(place);
  else if (opened) sheet().hidePopover();
}

export function watchTheirs() {
  window.addEventListener("resize", () => window.requestAnimationFrame(fit));
  document.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (place) show(place);
  });
}
