// What an icon is called and what it does here, when it is pointed at, focused or tapped; other names in pictures on a tap.
// The words of icons stand in the page's key; an element that shows one carries its name as `data-sign`.

const PAUSE = 300; // milliseconds for which a mouse rests before the words appear, and before they go
const AWAY = 8; // pixels between the words and what they are about
const EDGE = 8; // and between them and the edge of the window

let words = null; // the box
let of = null; // what it is about
let timer = 0;

const sign = (event) => event.target.closest?.("[data-sign]");

function entry(name) {
  return document.querySelector(`[data-explains="${CSS.escape(name)}"]`);
}

function box() {
  if (words?.isConnected) return words;
  words = document.createElement("div");
  words.id = "naming";
  words.className = "naming";
  words.popover = "manual";
  words.setAttribute("role", "tooltip");
  words.addEventListener("pointerenter", () => window.clearTimeout(timer));
  words.addEventListener("pointerleave", hideSoon);
  return document.body.appendChild(words);
}

function show(element, ...content) {
  hide();
  of = element;
  of.setAttribute("aria-describedby", "naming");
  box().replaceChildren(...content);
  words.showPopover();
  const at = element.getBoundingClientRect();
  const { width, height } = words.getBoundingClientRect();
  const above = at.top - height - AWAY;
  const left = Math.min(at.left + at.width / 2 - width / 2, window.innerWidth - width - EDGE);
  words.style.left = `${Math.max(EDGE, left)}px`;
  words.style.top = `${above >= EDGE ? above : Math.min(at.bottom + AWAY, window.innerHeight - height - EDGE)}px`;
}

function explain(element) {
  const found = entry(element.dataset.sign);
  if (!found || of === element) return;
  element.removeAttribute("title"); // it is for pages without scripts
  show(element, ...[...found.children].map((part) => part.cloneNode(true)));
}

// Take the words away.
export function hide() {
  window.clearTimeout(timer);
  of?.removeAttribute("aria-describedby");
  of = null;
  if (words?.matches(":popover-open")) words.hidePopover();
}

function hideSoon() {
  window.clearTimeout(timer);
  timer = window.setTimeout(hide, PAUSE);
}

// The name that a picture gives to what was tapped, if a tap does nothing else there.
function titled(event) {
  if (event.target.closest("[data-action]:not(.away), [data-part]")) return null;
  const piece = event.target.closest("svg :has(> title)");
  return piece?.closest("#table, #closer") && !piece.closest(".theirs, #board:has(> .tiny)") && piece;
}

function pressed(event) {
  if (words?.contains(event.target)) return;
  const known = sign(event);
  const piece = known ? null : event.pointerType === "touch" && titled(event);
  if (known) {
    event.preventDefault(); // nothing else is asked about this place
    explain(known);
  } else if (piece) {
    show(piece, piece.querySelector(":scope > title").textContent);
  } else {
    hide();
  }
}

export function nameSigns() {
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse" || words?.contains(event.target)) return;
    const known = sign(event);
    if (known && known !== of) {
      known.removeAttribute("title");
      window.clearTimeout(timer);
      timer = window.setTimeout(() => explain(known), PAUSE);
    } else if (!known) {
      if (of) hideSoon();
      else window.clearTimeout(timer);
    } else {
      window.clearTimeout(timer);
    }
  });
  document.addEventListener("focusin", (event) => {
    const known = sign(event);
    if (known?.matches(":focus-visible")) explain(known);
    else if (!words?.contains(event.target)) hide();
  });
  document.addEventListener("click", pressed, { capture: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
  document.addEventListener("htmx:beforeSwap", hide);
}
