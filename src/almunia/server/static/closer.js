// Others' boards are small on their cards. Letters that nobody could read there are left out, and a press shows the board large.

const LEAST = 12; // pixels of the smallest letters
const PICTURES = ".theirs .drawn > svg";

let opened = null; // the panel that is shown large

// How large a text is on the screen, whatever its picture and its style sheet do to it; 0 if it is not shown.
function size(text) {
  return (parseFloat(getComputedStyle(text).fontSize) * text.getBoundingClientRect().height) / (text.getBBox().height || 1);
}

function fit() {
  for (const button of document.querySelectorAll("button.closer")) button.hidden = false;
  for (const picture of document.querySelectorAll(PICTURES)) {
    const letters = [...picture.querySelectorAll("text")].filter((text) => !text.closest("defs, .traces"));
    picture.classList.toggle("tiny", letters.map(size).some((pixels) => pixels > 0 && pixels < LEAST - 0.25));
  }
}

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
  const picture = place.querySelector(":scope > .drawn > svg");
  const name = place.closest(".seat").getAttribute("aria-label");
  const large = sheet();
  large.setAttribute("aria-label", `${name}, larger`);
  large.querySelector("h2").textContent = name;
  large.querySelector(".drawn").replaceChildren(copyOf(picture));
  opened = picture.parentElement.id;
  if (!large.matches(":popover-open")) large.showPopover();
}

// After the page has been drawn anew, or has another size.
export function fitTheirs() {
  fit();
  const place = opened && document.getElementById(opened)?.closest(".theirs");
  if (place) show(place);
  else if (opened) sheet().hidePopover();
}

export function watchTheirs() {
  window.addEventListener("resize", () => window.requestAnimationFrame(fit));
  document.addEventListener("click", (event) => {
    const place = event.target.closest(".theirs");
    if (place) show(place);
  });
}
