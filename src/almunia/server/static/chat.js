// The chat beside a table, or in the lobby: what is new is fetched, counted until it has been seen, and told to whoever
// hears the page. It works beside everything else there: nothing of it waits for a move, and no move for it.

import { ownTimes } from "./hours.js";

const panel = document.querySelector("#chat");
const link = document.querySelector("#chat-link");
const address = panel?.querySelector(".saying")?.getAttribute("action") ?? link?.getAttribute("href");
const KEPT = `read ${address}`; // under which this browser remembers what has been read

let known = 0; // the number of the last message that was here when this was looked at last
let latest = null; // what the stream said last

const said = () => panel.querySelector("#said");
const others = () => [...said().querySelectorAll("li[data-number]:not(.own)")];
const numberOf = (message) => Number(message.dataset.number);
const isOpen = () => panel.checkVisibility() && !document.hidden;

function readUpTo() {
  try {
    return Number(localStorage.getItem(KEPT) ?? 0);
  } catch {
    return known; // nothing can be kept here
  }
}

function countUnread() {
  if (isOpen()) {
    try {
      localStorage.setItem(KEPT, said().dataset.latest);
    } catch {
      known = Number(said().dataset.latest);
    }
  }
  const count = isOpen() ? 0 : others().filter((message) => numberOf(message) > readUpTo()).length;
  link.querySelector("b")?.remove();
  if (!count) return;
  const badge = document.createElement("b");
  badge.className = "unread";
  badge.innerHTML = '<span class="visually-hidden">, </span><span></span><span class="visually-hidden"> new</span>';
  badge.children[1].textContent = count > 99 ? "99+" : count;
  link.append(badge);
}

function announce() {
  const fresh = others().filter((message) => numberOf(message) > known);
  const words = fresh.map((message) => `${message.querySelector(".by").textContent}: ${message.querySelector("p").textContent}`);
  if (words.length) document.querySelector("#chat-said").textContent = words.slice(-3).join(" ");
  known = Math.max(known, Number(said().dataset.latest));
}

// New lines in the place of the old ones; whoever reads further up stays there, and what is unfolded stays so.
function show(lines) {
  const list = said();
  const below = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const unfolded = [...list.querySelectorAll("li[id]:has(details[open])")].map((message) => message.id);
  window.Idiomorph.morph(list, lines);
  for (const id of unfolded) document.getElementById(id)?.querySelector("details")?.setAttribute("open", "");
  ownTimes(said());
  if (below) said().scrollTop = said().scrollHeight;
  announce();
  countUnread();
}

const HEADERS = { "HX-Request": "true" };

async function look() {
  try {
    const answer = await fetch(address, { headers: HEADERS });
    if (answer.ok) show(await answer.text());
  } catch {
    // the stream says it again when the line is back
  }
}

export function heardOf(mark) {
  latest = mark;
  if (panel && said() && said().dataset.mark !== latest) look();
}

// --- saying ------------------------------------------------------------------------------------

function wrong(sentence, thanks = false) {
  const line = panel.querySelector("#chat-wrong");
  line.classList.toggle("thanks", thanks); // nothing is wrong
  line.textContent = sentence;
}

function sayMuted() {
  const muted = panel.querySelector(".muted summary")?.textContent ?? "Nobody is muted";
  document.querySelector("#chat-said").textContent = muted;
}

async function send(event) {
  const form = event.target;
  event.preventDefault();
  if (form.dataset.sending) return;
  form.dataset.sending = "1";
  const field = form.elements.words;
  const body = new URLSearchParams(new FormData(form, event.submitter));
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", headers: HEADERS, body });
    const text = await answer.text();
    wrong(answer.ok ? "" : text);
    if (!answer.ok) return;
    if (field && !event.submitter?.matches("[name=phrase]")) field.value = "";
    show(text);
    if (form.action.endsWith("/report")) {
      wrong("Thank you. Whoever runs this site will see your report.", true);
      for (const menu of panel.querySelectorAll(".about[open]")) menu.open = false;
    }
    if (form.action.endsWith("/mute")) sayMuted();
    if (form.matches(".saying")) said().scrollTop = said().scrollHeight;
    else panel.querySelector("#words")?.focus();
  } catch {
    wrong("The site cannot be reached. Your message is still here: send it again in a moment.");
  } finally {
    delete form.dataset.sending;
  }
}

// --- the panel ---------------------------------------------------------------------------------

const SHEET = window.matchMedia("(max-width: 47.99rem)"); // there it comes from the foot of the page
const EDGE = 12; // pixels of the window
const SIZES = [[352, 512], [352, 384], [288, 512], [288, 384], [288, 288]]; // pixels: smaller ones where larger ones hide more
// What it is not to hide, and how much a pixel of that counts.
const SEEN = [["#table .pane.log", 1], ["#table .question", 5], ["#table svg [data-action]:not(.away), #table svg [data-part]", 20], ["#table .pane .drawn, #board", 0.1]];

// The corner of the window, and its size there, by which it hides as little as can be.
function stand() {
  panel.removeAttribute("style");
  if (SHEET.matches || !panel.matches(":popover-open")) return;
  const seen = SEEN.flatMap(([names, weight]) => [...document.querySelectorAll(names)].map((one) => ({ weight, box: one.getBoundingClientRect() })));
  const head = document.querySelector(".top").getBoundingClientRect().bottom + EDGE;
  const corners = SIZES.filter(([, height]) => head + height + EDGE <= window.innerHeight || height === SIZES.at(-1)[1]).flatMap(([width, height]) => {
    const [right, bottom] = [window.innerWidth - width - EDGE, window.innerHeight - height - EDGE];
    return [[right, bottom], [right, head], [EDGE, bottom], [EDGE, head]].map(([x, y]) => new DOMRect(x, y, width, height));
  });
  const hidden = (corner) => seen.reduce((sum, { weight, box }) => sum + weight * shared(corner, box), 0);
  const best = corners.reduce((found, corner) => (hidden(corner) < hidden(found) ? corner : found));
  Object.assign(panel.style, { inset: "auto", left: `${best.x}px`, top: `${best.y}px`, width: `${best.width}px`, height: `${best.height}px` });
}

// Square pixels of two boxes that lie over each other.
function shared(one, other) {
  const width = Math.min(one.right, other.right) - Math.max(one.left, other.left);
  const height = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top);
  return Math.max(0, width) * Math.max(0, height);
}

function toggle(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  panel.togglePopover();
}

function toggled() {
  const open = panel.matches(":popover-open");
  link.setAttribute("aria-expanded", String(open));
  if (!open) {
    if (document.activeElement === document.body || panel.contains(document.activeElement)) link.focus();
    return;
  }
  stand();
  if (said()) said().scrollTop = said().scrollHeight;
  panel.querySelector("#words")?.focus({ preventScroll: true });
  if (said()) countUnread();
}

function keyed(event) {
  if (event.key !== "Escape" || !panel.matches(":popover-open")) return;
  event.stopPropagation();
  panel.hidePopover();
}

// On a phone the sheet lies over the page: whoever goes on by keys to what is behind it lets it close.
function left(event) {
  const next = event.relatedTarget;
  if (!next || next === link || panel.contains(next) || !panel.matches(":popover-open")) return;
  const [sheet, place] = [panel.getBoundingClientRect(), next.getBoundingClientRect()];
  if (sheet.width >= document.documentElement.clientWidth && place.bottom > sheet.top) panel.hidePopover();
}

export function beginChat() {
  if (!panel) return;
  link.setAttribute("role", "button");
  link.setAttribute("aria-expanded", "false");
  link.setAttribute("aria-controls", "chat");
  link.addEventListener("click", toggle);
  link.addEventListener("keydown", (event) => event.key === " " && toggle(event));
  panel.addEventListener("toggle", toggled);
  window.addEventListener("resize", stand);
  panel.addEventListener("keydown", keyed);
  panel.addEventListener("focusout", left);
  if (!said()) return;
  panel.addEventListener("submit", send);
  document.addEventListener("visibilitychange", countUnread);
  known = Number(said().dataset.latest);
  ownTimes(said());
  said().scrollTop = said().scrollHeight;
  countUnread();
  if (latest !== null) heardOf(latest);
}
