// How a table and a replay are shown: requests for the table, tabs, small pictures, names of pieces and icons, the log,
// score tables and analyses.

import { isMotionReduced } from "./site.js";

const NARROW = window.matchMedia("(max-width: 767px)");

// --- requests ----------------------------------------------------------------------------

// One request at a time: htmx keeps its queue in the element, and loses it when an answer replaces the attributes.
export const isRequestPending = () => document.querySelector(".htmx-request") !== null;

const requestEnd = () =>
  new Promise((resolve) => {
    document.addEventListener("htmx:afterRequest", () => window.setTimeout(resolve), { once: true });
  });

// Request the table from the site, and morph the page into the answer.
export async function requestTable(method, address, values = {}) {
  while (method === "GET" && isRequestPending()) await requestEnd(); // a POST is queued by `confirmRequest`, which shows that at once
  try {
    await window.htmx.ajax(method, address, { target: "#table", swap: "morph:outerHTML", source: "#table", values });
  } catch {
    // no answer: the listeners of htmx:sendError handle it
  }
}

// Morph the page into a table that came along with the last answer.
export function swapTable(html) {
  const table = document.querySelector("#table");
  table.dispatchEvent(new CustomEvent("htmx:beforeSwap", { bubbles: true }));
  window.htmx.swap(table, html, { swapStyle: "morph:outerHTML", swapDelay: 0, settleDelay: 0 }, { contextElement: table });
}

// --- pending moves -----------------------------------------------------------------------

const SPINNER_DELAY_MS = 400;

let isPosting = false; // a POST is on its way, or queued
let queuedRequest = null; // a function that sends the last click, with the values of that moment
let spinnerTimer = 0;

export const isMovePending = () => isPosting;

const setQuestionClass = (name, isOn) => document.querySelector("#question")?.classList.toggle(name, isOn);

function showPending() {
  isPosting = true;
  setQuestionClass("sent", true);
  window.clearTimeout(spinnerTimer);
  spinnerTimer = window.setTimeout(() => setQuestionClass("slow", true), SPINNER_DELAY_MS);
}

function hidePending() {
  isPosting = false;
  window.clearTimeout(spinnerTimer);
  setQuestionClass("sent", false);
  setQuestionClass("slow", false);
}

// Drop a second click while a move is pending; queue a click while the page fetches the table.
function confirmRequest(event) {
  const { verb, path, elt, etc, triggeringEvent } = event.detail;
  const isPost = verb === "post";
  if (!isPost && elt.id === "table") return; // the page's own request, which it repeats if necessary
  if (isPosting) return event.preventDefault();
  if (isPost) takeBack(); // another request replaces it
  if (isPost) showPending();
  if (!isRequestPending()) return;
  event.preventDefault();
  const values = etc.values ?? (isPost ? Object.fromEntries(new FormData(elt, triggeringEvent.submitter)) : {});
  queuedRequest = () => requestTable(verb.toUpperCase(), path, values);
}

function sendQueued() {
  if (!queuedRequest || isRequestPending()) return;
  const send = queuedRequest;
  queuedRequest = null;
  isPosting = false;
  send();
}

// Show that a request is pending: the question looks pressed at once, and a spinner appears after a moment.
export function watchRequests() {
  document.addEventListener("htmx:confirm", confirmRequest);
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig.verb === "post") hidePending();
    window.setTimeout(sendQueued); // after the other listeners of this event
  });
}

// --- held moves --------------------------------------------------------------------------

// The page holds a move that can't be undone for a moment, in which the player can take it back. The site gets the move
// when the moment is over, so nothing comes to light before. A page that is hidden or left sends it at once. If the
// connection fails, the page sends it again, as long as its question is still the one that was answered.

let heldMove = null; // {code, address, values, endsAt, isSent, isLost}
let holdTimer = 0;

// The move that the page holds; null if there is none, or if it has been sent.
export const moveOnHold = () => (heldMove?.isSent ? null : heldMove);

export function holdMove(code, address, values, milliseconds) {
  heldMove = { code, address, values, endsAt: Date.now() + milliseconds, isSent: false, isLost: false };
  holdTimer = window.setTimeout(sendHeldMove, milliseconds);
}

export function sendHeldMove() {
  window.clearTimeout(holdTimer);
  heldMove.isSent = true;
  heldMove.isLost = false;
  requestTable("POST", heldMove.address, heldMove.values);
}

// Send the held move again if it was lost and the page still shows its question. If not, it was played, or came too late.
function resendHeldMove() {
  if (!heldMove?.isLost) return;
  const { seat, seen } = document.querySelector("#table").dataset;
  if (seat === heldMove.values.seat && seen === heldMove.values.seen) sendHeldMove();
  else heldMove = null;
}

// Drop the held move, unless it has been sent.
export function takeBack() {
  if (!moveOnHold()) return;
  window.clearTimeout(holdTimer);
  heldMove = null;
}

export function watchHeldMoves() {
  document.addEventListener("htmx:afterRequest", ({ detail: { requestConfig, xhr } }) => {
    if (requestConfig.verb !== "post" || !heldMove?.isSent) return;
    if (xhr.status) heldMove = null;
    else heldMove.isLost = true;
  });
  document.addEventListener("htmx:afterSettle", () => window.setTimeout(resendHeldMove)); // after the end of the request
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden" && moveOnHold()) sendHeldMove();
  });
  // A beacon outlasts the page. The site refuses it if the move has come by another request.
  window.addEventListener("pagehide", () => {
    if (heldMove) navigator.sendBeacon(heldMove.address, new URLSearchParams(heldMove.values));
    window.clearTimeout(holdTimer);
    heldMove = null;
  });
}

// --- unchanged fragments -----------------------------------------------------------------

const MAX_TEXTS = 64;
const TEXT_MARK = "+"; // after the hash of a picture whose text this page has
const SEPARATOR = "<"; // of the parts of a picture, as in fragments.py
const PICTURE = /data-hash="(\w+)">(?:(<svg.*?<\/svg>)|<script type="application\/json" data-from="(\w+)">(.*?)<\/script>)<\/div>/gs;

const pictureTexts = new Map(); // SVG as the site wrote it, by hash

// Return a text from these steps: each is new text, or the position and the number of parts to copy from the old text.
function applyDifference(old, steps) {
  const parts = old.split(SEPARATOR);
  const write = (step) => (typeof step === "string" ? step : parts.slice(step[0], step[0] + step[1]).join(SEPARATOR));
  return steps.map(write).join(SEPARATOR);
}

// Write the pictures of an answer that are differences from older ones as SVG.
function completePictures(event) {
  const { detail } = event;
  if (!detail?.serverResponse) return;
  detail.serverResponse = detail.serverResponse.replace(PICTURE, (_, hash, svg, from, steps) => {
    const text = svg ?? (pictureTexts.has(from) && applyDifference(pictureTexts.get(from), JSON.parse(steps)));
    if (!text) return `data-hash="${hash}" data-kept></div>`; // requested again
    pictureTexts.delete(hash);
    pictureTexts.set(hash, text);
    return `data-hash="${hash}">${text}</div>`;
  });
  for (const hash of [...pictureTexts.keys()].slice(0, -MAX_TEXTS)) pictureTexts.delete(hash);
}

// Fragments (pictures, chapters of the log, seats) that have not changed are not sent again: requests name those of the page.
export function keepFragments() {
  let needsAll = false;
  document.addEventListener("htmx:configRequest", (event) => {
    if (needsAll) return;
    const shown = [...document.querySelectorAll("[data-fragment]")];
    event.detail.headers["X-Fragments"] = shown
      .map(({ dataset: { fragment, hash } }) => `${fragment}=${hash}${pictureTexts.has(hash) ? TEXT_MARK : ""}`)
      .join(" ");
  });
  document.addEventListener("htmx:beforeSwap", completePictures);
  const isUnchanged = (node, fresh) => fresh.dataset?.kept !== undefined && node.dataset?.hash === fresh.dataset.hash;
  window.Idiomorph.defaults.callbacks.beforeNodeMorphed = (node, fresh) => !isUnchanged(node, fresh);
  // A new layout may have moved a fragment that the answer left out, so that it is empty now: request all.
  document.addEventListener("htmx:afterSettle", () => {
    needsAll = document.querySelector("[data-kept]") !== null;
    const { table, address = table } = document.querySelector("#table").dataset; // a replay has an address for each position
    if (needsAll) requestTable("GET", address);
  });
}

// --- panes -------------------------------------------------------------------------------

// Let keys scroll a board that is larger than its pane, as on phones.
export function makeBoardScrollable() {
  const board = document.querySelector("#board");
  const scrolls = board && (board.scrollWidth > board.clientWidth + 1 || board.scrollHeight > board.clientHeight + 1);
  board?.toggleAttribute("tabindex", scrolls);
  if (scrolls) board.tabIndex = 0;
}

// Give the question three small lines on a phone if it does not fit into two.
export function fitQuestion(table) {
  const ask = table.querySelector(".ask");
  if (!ask) return;
  ask.classList.remove("wordy");
  const words = document.createRange(); // without the padding that makes a § large enough for a finger
  words.selectNodeContents(ask);
  ask.classList.toggle("wordy", words.getBoundingClientRect().height > ask.clientHeight + 1);
}

// --- tabs of a narrow page ---------------------------------------------------------------

const MIN_TARGET_PX = 24; // that a finger can choose
const MIN_SWIPE_PX = 60;
const MAX_SWIPE_SLOPE = 0.5; // vertical by horizontal way
const SLIDE_MS = 200;

let lastTab = null; // the tab that was open when the table was drawn again
let lastDecision = null; // the decision that it was open for, if any
let swipe = null; // {pane, x, y}: where a single finger touched a pane that does not scroll sideways

const decisionOf = (table) => table.querySelector(".question.yours") && table.dataset.seen;
const checkedTab = (table) => table.querySelector('.room > [name="tab"]:checked');

export function rememberTab(table) {
  lastTab = checkedTab(table)?.value ?? null;
  lastDecision = decisionOf(table);
}

// Open the tab of a new question; otherwise keep the tab that the viewer had open.
export function restoreTab(table) {
  const isNew = decisionOf(table) && decisionOf(table) !== lastDecision;
  const input = table.querySelector(isNew || !lastTab ? '.room > [name="tab"][checked]' : `#tab-${lastTab}`);
  if (input) openTab(input);
  makeBoardScrollable();
}

export function openTab(input) {
  if (input.checked) return;
  input.checked = true;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

// Return the name of the tab that holds an element.
export function tabOf(element) {
  const names = element.closest(".pane, .seats")?.classList ?? [];
  return [...names].find((name) => name.startsWith("in-"))?.slice("in-".length);
}

// Put a dot on the tabs of these elements. With `opens`, open the first one unless an element is in reach already.
export function markTabs(table, elements, opens) {
  const tabs = [...new Set(elements.map(tabOf).filter(Boolean))];
  const first = tabs.length && table.querySelector(`#tab-${tabs[0]}`);
  if (opens && first && !elements.some((element) => isInReach(table, element))) openTab(first);
  for (const label of table.querySelectorAll(".tabs label")) label.classList.toggle("due", tabs.includes(label.dataset.tab));
}

function isInReach(table, element) {
  if (NARROW.matches && tabOf(element) !== checkedTab(table)?.value) return false; // at other tabs the board is only a preview
  const box = element.getBoundingClientRect();
  return Math.max(box.width, box.height) >= MIN_TARGET_PX;
}

// Open the board's tab when the preview of the board beside the hand is tapped.
function openBoardTab(event) {
  const table = event.target.closest?.(".pane.board") && event.target.closest("#table");
  if (table && NARROW.matches && checkedTab(table)?.value === "hand") openTab(table.querySelector("#tab-board"));
}

function beginSwipe({ target, touches }) {
  const pane = target.closest?.("#table .panes");
  const isFree = pane && touches.length === 1 && !target.closest(".overview, input, textarea") && !scrollsSideways(target, pane);
  swipe = isFree ? { pane, x: touches[0].clientX, y: touches[0].clientY } : null;
}

function endSwipe(event) {
  if (!swipe || event.touches.length) return;
  const [finger] = event.changedTouches;
  const [dx, dy] = [finger.clientX - swipe.x, finger.clientY - swipe.y];
  const { pane } = swipe;
  swipe = null;
  if (Math.abs(dx) < MIN_SWIPE_PX || Math.abs(dy) > MAX_SWIPE_SLOPE * Math.abs(dx)) return;
  openNextTab(pane, dx < 0 ? 1 : -1);
}

// Whether an element between `element` and its pane scrolls sideways.
function scrollsSideways(element, pane) {
  for (let node = element; node && node !== pane; node = node.parentElement) {
    if (node.scrollWidth > node.clientWidth + 1 && ["auto", "scroll"].includes(getComputedStyle(node).overflowX)) return true;
  }
  return false;
}

function openNextTab(pane, step) {
  const table = pane.closest("#table");
  const tabs = [...table.querySelectorAll(".tabs label")].filter((label) => label.offsetParent).map((label) => label.dataset.tab);
  const next = tabs[Math.max(0, tabs.indexOf(checkedTab(table)?.value)) + step];
  if (!next) return;
  openTab(table.querySelector(`#tab-${next}`));
  const frames = [{ transform: `translateX(${40 * step}px)`, opacity: 0.3 }, {}];
  if (!isMotionReduced()) pane.animate(frames, { duration: SLIDE_MS, easing: "ease-out" });
}

export function watchTabs() {
  document.addEventListener("click", openBoardTab);
  document.addEventListener("touchstart", beginSwipe, { passive: true });
  document.addEventListener("touchend", endSwipe, { passive: true });
  document.addEventListener("touchcancel", () => (swipe = null), { passive: true });
}

// --- small pictures, and the dialog that shows them large --------------------------------

export const MIN_TEXT_PX = 12; // that can be read
const TOLERANCE_PX = 0.25;
const MAX_ZOOM = 4;

let zoomedId = null; // the id of the element whose picture the dialog shows

// Return the size of a text on the screen in pixels, whatever scales its picture; 0 if it is not shown.
function textSize(text) {
  return (parseFloat(getComputedStyle(text).fontSize) * text.getBoundingClientRect().height) / (text.getBBox().height || 1);
}

// Return the sizes of all texts of a picture that are shown.
export function textSizes(picture) {
  const texts = [...picture.querySelectorAll("text")].filter((text) => !text.closest("defs, .traces"));
  return texts.map(textSize).filter((size) => size > 0);
}

const isTooSmall = (size) => size < MIN_TEXT_PX - TOLERANCE_PX;

// Hide the texts of pictures that are too small to read: opponents' boards, and on a phone the board without choices.
function hideSmallTexts() {
  for (const button of document.querySelectorAll("button.closer")) button.hidden = false;
  for (const picture of document.querySelectorAll(".theirs .drawn > svg")) {
    picture.classList.toggle("tiny", textSizes(picture).some(isTooSmall));
  }
  const board = document.querySelector("#board > svg");
  const isWhole = NARROW.matches && !document.querySelector("#choices, #board.near");
  const sizes = board && isWhole ? textSizes(board) : [];
  board?.classList.toggle("tiny", sizes.filter(isTooSmall).length > sizes.length / 2); // a few small texts are no reason
}

// Return the place of a picture that a click shows large: an opponent's board, or a board with hidden texts.
const zoomablePlace = (element) => element?.closest(".theirs .drawn, #board:has(> .tiny)") ?? element?.closest(".theirs")?.querySelector(".drawn");

function zoomDialog() {
  const existing = document.querySelector("#closer");
  if (existing) return existing;
  const dialog = document.createElement("section");
  dialog.id = "closer";
  dialog.className = "aside closer";
  dialog.popover = "auto";
  dialog.innerHTML = '<header><h2></h2><button type="button" popovertarget="closer" popovertargetaction="hide">Close</button></header><div class="drawn"></div>';
  dialog.addEventListener("toggle", (event) => {
    if (event.newState === "closed") zoomedId = null;
  });
  return document.body.appendChild(dialog);
}

// Return a copy of a picture without ids and choices: links from the log and moves mean the original.
function copyForZoom(picture) {
  const copy = picture.cloneNode(true);
  copy.classList.remove("tiny");
  for (const element of copy.querySelectorAll(".traces, [data-action], defs")) element.remove();
  for (const element of copy.querySelectorAll("[id]")) element.removeAttribute("id");
  return copy;
}

function showZoomed(place) {
  const picture = place.querySelector(":scope > svg");
  const name = (place.closest(".seat") ?? place.closest(".pane")).getAttribute("aria-label");
  const dialog = zoomDialog();
  dialog.setAttribute("aria-label", `${name}, larger`);
  dialog.querySelector("h2").textContent = name;
  const copy = copyForZoom(picture);
  dialog.querySelector(".drawn").replaceChildren(copy);
  zoomedId = place.id;
  if (!dialog.matches(":popover-open")) {
    dialog.showPopover();
    dialog.querySelector("button").focus({ preventScroll: true }); // keys belong to the dialog now
  }
  if (NARROW.matches) enlargeToRead(copy);
}

// Enlarge a picture until all its texts can be read; it scrolls.
function enlargeToRead(picture) {
  const zoom = Math.min(Math.max(...textSizes(picture).map((size) => MIN_TEXT_PX / size)), MAX_ZOOM);
  const width = picture.viewBox.baseVal.width * picture.getScreenCTM().a * zoom;
  if (zoom > 1) Object.assign(picture.style, { flex: "none", width: `${width}px`, height: "auto", maxWidth: "none" });
}

// Fit the pictures to the page after it has been drawn again, and redraw the dialog.
export function fitPictures() {
  hideSmallTexts();
  const place = zoomedId && zoomablePlace(document.getElementById(zoomedId));
  if (place) showZoomed(place);
  else if (zoomedId) zoomDialog().hidePopover();
}

export function watchPictures() {
  window.addEventListener("resize", () => window.requestAnimationFrame(hideSmallTexts));
  document.addEventListener("click", (event) => {
    const place = zoomablePlace(event.target);
    if (place) showZoomed(place);
  });
}

// --- accessible names of pieces ----------------------------------------------------------

const CHOOSABLE = "[data-action], [data-part]";
const COUNTS = ["", "", "two", "three", "four", "five", "six"];
const ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth"];

// Make each named piece one image for screen readers; hide its texts where something inside it can be chosen.
export function namePieces(table) {
  for (const piece of table.querySelectorAll("svg g:has(> title)")) {
    if (piece.querySelector(CHOOSABLE)) hideTexts(piece);
    else if (!piece.closest(CHOOSABLE)) piece.setAttribute("role", "img");
  }
  for (const picture of table.querySelectorAll("svg[role=img]:has(g[role=img])")) {
    if (isNamedByPieces(picture)) picture.setAttribute("role", "group");
  }
}

// Whether each text of a picture belongs to a named piece; otherwise screen readers need the picture's own name.
function isNamedByPieces(picture) {
  return [...picture.querySelectorAll("text")].every((text) => text.closest("g[role=img], defs"));
}

function hideTexts(piece) {
  for (const text of piece.querySelectorAll("text")) if (!text.closest(CHOOSABLE)) text.setAttribute("aria-hidden", "true");
}

// Append the visible words of a piece to its name if they are missing: speech control uses what a viewer sees.
export function nameWithTexts(name, piece) {
  const texts = [...piece.querySelectorAll("text")];
  for (const text of texts) if (text.nextSibling?.nodeType !== Node.TEXT_NODE) text.after(" "); // separates the words
  const words = texts.map((text) => text.textContent.trim()).join(" ").trim();
  return !/\p{L}{2}/u.test(words) || name.toLowerCase().includes(words.toLowerCase()) ? name : `${name}, ${words}`;
}

// Number equal names: "campfire, first of two".
export function numberDuplicates(names) {
  const countUpTo = (name, end) => names.slice(0, end).filter((other) => other === name).length;
  return names.map((name, index) => {
    const [before, count] = [countUpTo(name, index), countUpTo(name)];
    return count > 1 ? `${name}, ${ORDINALS[before] ?? before + 1} of ${COUNTS[count] ?? count}` : name;
  });
}

// --- tooltips ----------------------------------------------------------------------------

// The page's key (`data-explains`) holds the words of icons; an element with an icon names it as `data-sign`.
const HOVER_DELAY_MS = 300; // before a tooltip appears, and before it goes
const TOOLTIP_DISTANCE_PX = 8; // from its element
const TOOLTIP_MARGIN_PX = 8; // from the edge of the window

let tooltip = null;
let tooltipOwner = null; // the element that the tooltip is about
let tooltipTimer = 0;

const signOf = (event) => event.target.closest?.("[data-sign]");

function createTooltip() {
  if (tooltip?.isConnected) return tooltip;
  tooltip = document.createElement("div");
  tooltip.id = "naming";
  tooltip.className = "naming";
  tooltip.popover = "manual";
  tooltip.setAttribute("role", "tooltip");
  tooltip.addEventListener("pointerenter", () => window.clearTimeout(tooltipTimer));
  tooltip.addEventListener("pointerleave", hideTooltipSoon);
  return document.body.appendChild(tooltip);
}

function showTooltip(element, ...content) {
  hideTooltip();
  tooltipOwner = element;
  element.setAttribute("aria-describedby", "naming");
  createTooltip().replaceChildren(...content);
  tooltip.showPopover();
  const box = element.getBoundingClientRect();
  const { width, height } = tooltip.getBoundingClientRect();
  const above = box.top - height - TOOLTIP_DISTANCE_PX;
  const below = Math.min(box.bottom + TOOLTIP_DISTANCE_PX, window.innerHeight - height - TOOLTIP_MARGIN_PX);
  const left = Math.min(box.left + box.width / 2 - width / 2, window.innerWidth - width - TOOLTIP_MARGIN_PX);
  tooltip.style.left = `${Math.max(TOOLTIP_MARGIN_PX, left)}px`;
  tooltip.style.top = `${above >= TOOLTIP_MARGIN_PX ? above : below}px`;
}

function explainSign(element) {
  const entry = document.querySelector(`[data-explains="${CSS.escape(element.dataset.sign)}"]`);
  if (!entry || tooltipOwner === element) return;
  element.removeAttribute("title"); // for pages without scripts
  showTooltip(element, ...[...entry.children].map((part) => part.cloneNode(true)));
}

export function hideTooltip() {
  window.clearTimeout(tooltipTimer);
  tooltipOwner?.removeAttribute("aria-describedby");
  tooltipOwner = null;
  if (tooltip?.matches(":popover-open")) tooltip.hidePopover();
}

function hideTooltipSoon() {
  window.clearTimeout(tooltipTimer);
  tooltipTimer = window.setTimeout(hideTooltip, HOVER_DELAY_MS);
}

// Return the named piece that was tapped, if a tap has no other effect there.
function tappedPiece(event) {
  if (event.target.closest("[data-action]:not(.away), [data-part]")) return null;
  const piece = event.target.closest("svg :has(> title)");
  return piece?.closest("#table, #closer") && !piece.closest(".theirs, #board:has(> .tiny)") && piece;
}

function clickForTooltip(event) {
  if (tooltip?.contains(event.target)) return;
  const sign = signOf(event);
  const piece = sign ? null : event.pointerType === "touch" && tappedPiece(event);
  if (sign) {
    event.preventDefault(); // no answer to "why can't I play here?" as well
    explainSign(sign);
  } else if (piece) {
    showTooltip(piece, piece.querySelector(":scope > title").textContent);
  } else {
    hideTooltip();
  }
}

// Show the words of an icon that is hovered, focused or clicked, and the name of a piece that is tapped.
export function watchTooltips() {
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType !== "mouse" || tooltip?.contains(event.target)) return;
    const sign = signOf(event);
    if (sign && sign !== tooltipOwner) {
      sign.removeAttribute("title");
      window.clearTimeout(tooltipTimer);
      tooltipTimer = window.setTimeout(() => explainSign(sign), HOVER_DELAY_MS);
    } else if (!sign) {
      if (tooltipOwner) hideTooltipSoon();
      else window.clearTimeout(tooltipTimer);
    } else {
      window.clearTimeout(tooltipTimer);
    }
  });
  document.addEventListener("focusin", (event) => {
    const sign = signOf(event);
    if (sign?.matches(":focus-visible")) explainSign(sign);
    else if (!tooltip?.contains(event.target)) hideTooltip();
  });
  document.addEventListener("click", clickForTooltip, { capture: true });
  document.addEventListener("keydown", (event) => event.key === "Escape" && hideTooltip());
  document.addEventListener("htmx:beforeSwap", hideTooltip);
}

// --- log ---------------------------------------------------------------------------------

// Light up the piece that a line of the log is about, and the lines about a piece.
export function linkLog() {
  const setLit = (id, isLit) => {
    document.getElementById(id)?.classList.toggle("lit", isLit);
    const links = document.querySelectorAll(`[data-ref="${CSS.escape(id)}"]`);
    links.forEach((link) => link.closest("li, p")?.classList.toggle("lit", isLit));
  };
  const idAt = (element) => {
    const link = element.closest?.("[data-ref]");
    if (link) return link.dataset.ref;
    const piece = element.closest?.("svg [id]");
    return piece && document.querySelector(`[data-ref="${CSS.escape(piece.id)}"]`) ? piece.id : null;
  };
  let litId = null;
  const follow = (event) => {
    const id = idAt(event.target);
    if (id === litId) return;
    if (litId) setLit(litId, false);
    litId = id;
    if (litId) setLit(litId, true);
  };
  document.addEventListener("pointerover", follow);
  document.addEventListener("focusin", follow);
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-ref]")) return;
    event.preventDefault(); // a tap lights up the piece without scrolling the page
    follow(event);
  });
}

// Scroll the log to the first new line, or else to the last line.
export function scrollLog() {
  const log = document.querySelector("#log");
  if (!log) return;
  const first = log.querySelector(".new");
  log.style.removeProperty("--rest");
  log.scrollTop = first ? first.offsetTop - log.offsetTop : log.scrollHeight;
  const { top } = log.getBoundingClientRect();
  const boxes = [...log.querySelectorAll("li")].map((line) => line.getBoundingClientRect());
  const cut = boxes.find((box) => box.top < top - 1 && box.bottom > top + 1);
  if (!cut) return;
  log.style.setProperty("--rest", `${cut.bottom - top}px`); // scroll further by the rest of a line that the edge cuts
  log.scrollTop += cut.bottom - top;
}

// --- score tables ------------------------------------------------------------------------

// The dialog of a scoring covers the table until the viewer closes it; a link in the log opens it again. When it opens or
// closes, or does not arrive, the document gets a `scoring` event.
const scoreDialog = () => document.querySelector("#scoring");
const queuedScorings = []; // {address, done} of the scorings that are shown next
let knownScorings = null; // the scorings that this page has shown, or that it had when it was opened
let afterScoring = null; // called when the dialog closes
let isScoring = false; // the dialog is open, or requested

// Whether the dialog is requested and will cover what can be chosen now.
export const isScoringDue = () => isScoring && !scoreDialog().open;

async function openScoring({ address, done }) {
  isScoring = true;
  afterScoring = done;
  let html = null;
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    if (answer.ok) html = await answer.text();
  } catch {
    // no connection: the viewer finds the scoring in the log
  }
  if (html === null) return openNextScoring();
  scoreDialog().innerHTML = html;
  scoreDialog().classList.remove("peeking");
  scoreDialog().showModal();
  scoreDialog().scrollTop = 0;
  document.dispatchEvent(new Event("scoring"));
}

function openNextScoring() {
  const done = afterScoring;
  afterScoring = null;
  isScoring = false;
  done?.();
  if (!isScoring && queuedScorings.length) openScoring(queuedScorings.shift());
  document.dispatchEvent(new Event("scoring"));
}

function showScoring(address, done = null) {
  if (isScoring) queuedScorings.push({ address, done });
  else openScoring({ address, done });
}

// Show the scorings since the table was drawn last, unless the move replay has shown them. At the end the result is there
// instead, with a link to the last scoring.
export function showNewScorings(table) {
  const all = table.dataset.scorings.split(" ").filter(Boolean);
  const fresh = knownScorings ? all.filter((seen) => !knownScorings.has(seen)) : [];
  knownScorings = new Set([...(knownScorings ?? []), ...all]);
  if (table.dataset.pace === "0" || table.matches(".finished")) return;
  for (const seen of fresh) showScoring(`${table.dataset.table}?scoring=${seen}`);
}

// Show the scoring of a move that is replayed; return whether it is shown, for the first time.
export function showScoringOfMove(table, done) {
  const { scoring } = table.dataset;
  if (!scoring || knownScorings?.has(scoring)) return false;
  knownScorings = new Set([...(knownScorings ?? []), scoring]);
  showScoring(`${table.dataset.table}?scoring=${scoring}`, done);
  return true;
}

function lightPieces(ids) {
  for (const piece of document.querySelectorAll("svg .scores")) piece.classList.remove("scores");
  const pieces = ids.map((id) => document.getElementById(id)).filter(Boolean);
  for (const piece of pieces) piece.classList.add("scores");
  const tab = pieces.length && document.querySelector(`#tab-${tabOf(pieces[0])}`);
  if (tab) tab.checked = true;
}

// Shrink the dialog to show the board, with the pieces of a column lit up.
function peek(column) {
  for (const other of scoreDialog().querySelectorAll("[data-light]")) other.setAttribute("aria-pressed", String(other === column));
  if (!scoreDialog().matches(".peeking")) {
    scoreDialog().close("peek");
    scoreDialog().classList.add("peeking");
    scoreDialog().show();
  }
  column.focus();
  lightPieces(column.dataset.light.split(" "));
}

function unpeek() {
  lightPieces([]);
  scoreDialog().close("peek");
  scoreDialog().classList.remove("peeking");
  scoreDialog().showModal();
}

export function watchScorings() {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.scored");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    showScoring(link.href);
  });
  scoreDialog().addEventListener("click", (event) => {
    const column = event.target.closest("[data-light]");
    if (column) peek(column);
    else if (event.target.closest(".peek")) peek(scoreDialog().querySelector("[data-light]"));
    else if (event.target.closest(".unpeek")) unpeek();
  });
  scoreDialog().addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !scoreDialog().matches(".peeking")) return;
    event.stopPropagation();
    scoreDialog().close();
  });
  scoreDialog().addEventListener("close", () => {
    if (scoreDialog().returnValue === "peek") {
      scoreDialog().returnValue = "";
      return;
    }
    lightPieces([]);
    openNextScoring();
  });
}

// --- analysis of a finished game ---------------------------------------------------------

// While it is being made, the page loads it again. Screen readers hear the end of it, and no progress.
const ANALYSIS_REFRESH_MS = 1500;
const ANALYSIS_ENDS = { finished: "The analysis is finished.", failed: "The analysis has failed." };

let isRefreshing = false;

async function refreshAnalysis() {
  const section = document.querySelector("#analysis[data-refresh]");
  if (!section || document.hidden || isRefreshing) return;
  const address = section.dataset.refresh;
  isRefreshing = true;
  try {
    const answer = await fetch(address, { headers: { "HX-Request": "true" } });
    const html = await answer.text();
    const isShown = section.isConnected && section.dataset.refresh === address; // not another position by now
    if (answer.status === 200 && isShown) showAnalysis(section, html);
  } catch {
    // no connection: the next refresh tries again
  } finally {
    isRefreshing = false;
  }
}

function showAnalysis(section, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const loaded = template.content.querySelector("#analysis");
  const [progress, now] = [section, loaded].map((one) => one.querySelector(".progress"));
  if (progress && now) {
    if (progress.textContent !== now.textContent) progress.textContent = now.textContent;
    return; // the link beside it keeps the focus
  }
  if (section.dataset.status) document.querySelector("#analysis-said").textContent = ANALYSIS_ENDS[loaded.dataset.status] ?? "";
  const hadFocus = section.contains(document.activeElement);
  section.replaceWith(loaded);
  if (!hadFocus) return;
  const heading = loaded.querySelector("h2");
  heading.tabIndex = -1;
  heading.focus();
}

// Let a click on the chart, or the Enter key, lead to the position in the replay.
export function leadToReplay() {
  const lead = (event) => {
    if (event.target.matches(".over-chart .scrubber")) event.target.form.requestSubmit();
  };
  document.addEventListener("pointerup", lead);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter") lead(event);
  });
}

export function watchAnalysis() {
  window.setInterval(refreshAnalysis, ANALYSIS_REFRESH_MS);
  refreshAnalysis();
}
