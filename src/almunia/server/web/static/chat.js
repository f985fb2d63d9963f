// The chat beside a table or in the lobby: fetches new messages, counts the unread ones, and announces them to screen
// readers. It is independent of the table's requests.

import { showLocalTimes } from "./site.js";

const panel = document.querySelector("#chat");
const link = document.querySelector("#chat-link");
const address = panel?.querySelector(".saying")?.getAttribute("action") ?? link?.getAttribute("href");
const STORAGE_KEY = `read ${address}`; // of the number of the last message that this browser has shown
const HEADERS = { "HX-Request": "true" };

let lastNumber = 0; // of the last message that was announced
let version = null; // the last one that the stream sent

const messageList = () => panel.querySelector("#said");
const othersMessages = () => [...messageList().querySelectorAll("li[data-number]:not(.own)")];
const numberOf = (message) => Number(message.dataset.number);
const isOpen = () => panel.checkVisibility() && !document.hidden;

// --- messages ----------------------------------------------------------------------------

function lastRead() {
  try {
    return Number(localStorage.getItem(STORAGE_KEY) ?? 0);
  } catch {
    return lastNumber; // the browser allows no storage
  }
}

function countUnread() {
  if (isOpen()) {
    try {
      localStorage.setItem(STORAGE_KEY, messageList().dataset.latest);
    } catch {
      lastNumber = Number(messageList().dataset.latest);
    }
  }
  const count = isOpen() ? 0 : othersMessages().filter((message) => numberOf(message) > lastRead()).length;
  link.querySelector("b")?.remove();
  if (!count) return;
  const badge = document.createElement("b");
  badge.className = "unread";
  badge.innerHTML = '<span class="visually-hidden">, </span><span></span><span class="visually-hidden"> new</span>';
  badge.children[1].textContent = count > 99 ? "99+" : count;
  link.append(badge);
}

function announceNew() {
  const fresh = othersMessages().filter((message) => numberOf(message) > lastNumber);
  const words = fresh.map((message) => `${message.querySelector(".by").textContent}: ${message.querySelector("p").textContent}`);
  if (words.length) document.querySelector("#chat-said").textContent = words.slice(-3).join(" ");
  lastNumber = Math.max(lastNumber, Number(messageList().dataset.latest));
}

// Replace the messages; keep the scroll position of a viewer who has scrolled up, and open menus.
function showMessages(html) {
  const list = messageList();
  const isAtEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 40;
  const openIds = [...list.querySelectorAll("li[id]:has(details[open])")].map((message) => message.id);
  window.Idiomorph.morph(list, html);
  for (const id of openIds) document.getElementById(id)?.querySelector("details")?.setAttribute("open", "");
  showLocalTimes(messageList());
  if (isAtEnd) scrollToEnd();
  announceNew();
  countUnread();
}

function scrollToEnd() {
  messageList().scrollTop = messageList().scrollHeight;
}

async function fetchMessages() {
  try {
    const answer = await fetch(address, { headers: HEADERS });
    if (answer.ok) showMessages(await answer.text());
  } catch {
    // no connection: the stream sends the version again when it reconnects
  }
}

// Fetch the messages if the stream has sent another version than the page shows.
export function onChatVersion(newVersion) {
  version = newVersion;
  if (panel && messageList() && messageList().dataset.mark !== version) fetchMessages();
}

// --- forms -------------------------------------------------------------------------------

function showProblem(sentence, isThanks = false) {
  const line = panel.querySelector("#chat-wrong");
  line.classList.toggle("thanks", isThanks);
  line.textContent = sentence;
}

function announceMuted() {
  const muted = panel.querySelector(".muted summary")?.textContent ?? "No players are muted";
  document.querySelector("#chat-said").textContent = muted;
}

async function submitForm(event) {
  const form = event.target;
  event.preventDefault();
  if (form.dataset.sending) return;
  form.dataset.sending = "1";
  const field = form.elements.words;
  const body = new URLSearchParams(new FormData(form, event.submitter));
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", headers: HEADERS, body });
    const text = await answer.text();
    showProblem(answer.ok ? "" : text);
    if (!answer.ok) return;
    if (field && !event.submitter?.matches("[name=phrase]")) field.value = "";
    showMessages(text);
    if (form.action.endsWith("/report")) {
      showProblem("Thank you. The site's administrator will see your report.", true);
      for (const menu of panel.querySelectorAll(".about[open]")) menu.open = false;
    }
    if (form.action.endsWith("/mute")) announceMuted();
    if (form.matches(".saying")) scrollToEnd();
    else panel.querySelector("#words")?.focus();
  } catch {
    showProblem("The site cannot be reached. Your message is still here: send it again in a moment.");
  } finally {
    delete form.dataset.sending;
  }
}

// --- panel -------------------------------------------------------------------------------

const BOTTOM_SHEET = window.matchMedia("(max-width: 47.99rem)"); // the style sheet puts the panel at the foot of the page
const MARGIN_PX = 12; // from the edge of the window
const SIZES = [[352, 512], [352, 384], [288, 512], [288, 384], [288, 288], [288, 248]]; // pixels: a smaller panel if it hides less
// What the panel should not hide, and the cost of each square pixel.
const HIDING_COSTS = [["#table .pane.log", 1], ["#table .question", 5], ["#table svg [data-action]:not(.away), #table svg [data-part]", 20], ["#table .pane .drawn, #board", 0.1]];

// Put the panel in the corner, and give it the size, where it hides least.
function placePanel() {
  panel.removeAttribute("style");
  if (BOTTOM_SHEET.matches || !panel.matches(":popover-open")) return;
  const obstacles = HIDING_COSTS.flatMap(([selector, cost]) => [...document.querySelectorAll(selector)].map((element) => ({ cost, box: element.getBoundingClientRect() })));
  const top = document.querySelector(".top").getBoundingClientRect().bottom + MARGIN_PX;
  const sizes = SIZES.filter(([, height]) => top + height + MARGIN_PX <= window.innerHeight || height === SIZES.at(-1)[1]);
  const boxes = sizes.flatMap(([width, height]) => {
    const [right, bottom] = [window.innerWidth - width - MARGIN_PX, window.innerHeight - height - MARGIN_PX];
    return [[right, bottom], [right, top], [MARGIN_PX, bottom], [MARGIN_PX, top]].map(([x, y]) => new DOMRect(x, y, width, height));
  });
  const costOf = (panelBox) => obstacles.reduce((sum, { cost, box }) => sum + cost * overlap(panelBox, box), 0);
  const best = boxes.reduce((found, box) => (costOf(box) < costOf(found) ? box : found));
  Object.assign(panel.style, { inset: "auto", left: `${best.x}px`, top: `${best.y}px`, width: `${best.width}px`, height: `${best.height}px` });
}

// Return the square pixels that two boxes share.
function overlap(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

function togglePanel(event) {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  panel.togglePopover();
}

function onToggle() {
  const open = panel.matches(":popover-open");
  link.setAttribute("aria-expanded", String(open));
  if (!open) {
    if (document.activeElement === document.body || panel.contains(document.activeElement)) link.focus();
    return;
  }
  placePanel();
  if (messageList()) scrollToEnd();
  panel.querySelector("#words")?.focus({ preventScroll: true });
  if (messageList()) countUnread();
}

function closeByKey(event) {
  if (event.key !== "Escape" || !panel.matches(":popover-open")) return;
  event.stopPropagation();
  panel.hidePopover();
}

// Close the sheet of a phone when the focus moves to something behind it.
function closeBehind(event) {
  const next = event.relatedTarget;
  if (!next || next === link || panel.contains(next) || !panel.matches(":popover-open")) return;
  const [sheet, target] = [panel.getBoundingClientRect(), next.getBoundingClientRect()];
  if (sheet.width >= document.documentElement.clientWidth && target.bottom > sheet.top) panel.hidePopover();
}

export function startChat() {
  if (!panel) return;
  link.setAttribute("role", "button");
  link.setAttribute("aria-expanded", "false");
  link.setAttribute("aria-controls", "chat");
  link.addEventListener("click", togglePanel);
  link.addEventListener("keydown", (event) => event.key === " " && togglePanel(event));
  panel.addEventListener("toggle", onToggle);
  window.addEventListener("resize", placePanel);
  panel.addEventListener("keydown", closeByKey);
  panel.addEventListener("focusout", closeBehind);
  if (!messageList()) return;
  panel.addEventListener("submit", submitForm);
  document.addEventListener("visibilitychange", countUnread);
  lastNumber = Number(messageList().dataset.latest);
  showLocalTimes(messageList());
  scrollToEnd();
  countUnread();
  if (version !== null) onChatVersion(version);
}
