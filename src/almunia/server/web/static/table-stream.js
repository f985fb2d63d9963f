// Keeps the table's page up to date: the event stream, the clocks, and the replay of others' moves with highlights and
// animations.

import { onChatVersion } from "./chat.js";
import { isMotionReduced, onInvitationsVersion, showWaiting } from "./site.js";
import {
  fitQuestion,
  isRequestPending,
  isScoringDue,
  moveOnHold,
  requestTable,
  showNewScorings,
  showScoringOfMove,
  swapTable,
  tabOf,
} from "./table-view.js";

const tableElement = () => document.querySelector("#table");

// --- event stream ------------------------------------------------------------------------

// The stream sends the version of the table, and the page fetches a version that it does not show yet. The page reconnects
// after growing pauses, for ever, if the stream fails or is silent for too long.
// <main> publishes the state of the page: data-stream is "open" or "closed", and data-settled is the version shown. It is
// absent while the page holds, sends, fetches, replays moves, waits for a score table, or may be behind the stream.

const RETRY_SECONDS = [1, 2, 5, 10, 30]; // before the first try, the second, and so on
const SILENCE_SECONDS = 40; // without an event: the site sends a heartbeat each 15 seconds
const SILENCE_CHECK_MS = 5000;
const HIDDEN_SECONDS = 5; // until the site knows that the page is hidden, and may send notifications
const MIN_REFRESH_MS = 15_000;
const UNREACHED = "The site cannot be reached.";
const FAILED = "Something went wrong on the site.";
const LOST = "Your move may or may not have been played; checking…";

const retryDelay = (failures) => 1000 * RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length - 1)];

// Follow the stream of a table. `notice` shows a sentence to the viewer. The page fetches the address that it names, or else
// the table.
export function followTable(table, notice) {
  let stream = null;
  let failures = 0;
  let lastEventAt = Date.now();
  let reconnectTimer = 0;
  let version = null; // the last one that the stream sent
  let isSilent = true; // no stream is open, or it has sent no version yet
  let rematch = null; // the last version of the rematch that the stream sent
  let mustCompare = false; // the page has not been compared with the stream since its last event
  let isUncertain = false; // an answer is missing, so that the version at the site is unknown
  let tries = 0; // to fetch the table since then
  let retryTimer = 0;
  let isHiddenAtSite = false; // the site knows that the page is hidden
  let hiddenTimer = 0;
  let refreshTimer = 0;

  const pageAddress = () => tableElement().dataset.address ?? table;
  const isBehind = ({ mark, again }) => mark !== version || (rematch !== null && (again ?? "") !== rematch);

  function publish() {
    const { dataset } = tableElement();
    dataset.stream = stream?.readyState === EventSource.OPEN && !reconnectTimer ? "open" : "closed";
    const isBusy = isSilent || isUncertain || isRequestPending() || isScoringDue() || moveOnHold() !== null;
    if (isBusy || isBehind(dataset)) delete dataset.settled; // a replayed move is behind
    else dataset.settled = version;
  }

  // Fetch the table if the page is behind the stream.
  function compare() {
    if (!(mustCompare || isUncertain) || isRequestPending()) return;
    if (isReplaying() && !isUncertain) return; // the replay ends at the present
    mustCompare = false;
    if (isUncertain || isBehind(tableElement().dataset)) requestTable("GET", (!isUncertain && nextMove(version)) || pageAddress());
  }

  // Fetch the table until an answer comes: a move without an answer may have been played.
  function onNoAnswer(event, reason) {
    if (event.detail.requestConfig.verb !== "get") notice(`${reason} ${LOST}`);
    else if (!isUncertain) notice(`${reason} Trying again…`);
    isUncertain = true;
    window.clearTimeout(retryTimer);
    retryTimer = window.setTimeout(compare, retryDelay(tries));
    tries += 1;
  }

  function onAnswer() {
    isUncertain = false;
    tries = 0;
    window.clearTimeout(retryTimer);
    window.setTimeout(compare);
  }

  // Compare at every event, also at a heartbeat: the last answer may be missing.
  function onEvent() {
    lastEventAt = Date.now();
    mustCompare = version !== null;
    compare();
  }

  function connect() {
    window.clearTimeout(reconnectTimer);
    reconnectTimer = 0;
    isSilent = true;
    stream?.close();
    lastEventAt = Date.now();
    isHiddenAtSite = document.visibilityState === "hidden";
    stream = new EventSource(`${table}/stream${isHiddenAtSite ? "?hidden=1" : ""}`);
    stream.onopen = () => {
      if (!isUncertain && failures) notice(""); // keeps a notice of the site itself
      failures = 0;
      publish();
    };
    stream.onmessage = (event) => {
      version = event.data;
      isSilent = false;
      onEvent();
      publish();
    };
    stream.addEventListener("alive", onEvent);
    stream.addEventListener("chat", (event) => onChatVersion(event.data));
    stream.addEventListener("invited", (event) => onInvitationsVersion(event.data));
    stream.addEventListener("waiting", (event) => showWaiting(Number(event.data)));
    stream.addEventListener("again", (event) => {
      rematch = event.data;
      onEvent();
      publish();
    });
    stream.addEventListener("time", (event) => {
      setClocks(Number(event.data));
      scheduleRefresh();
    });
    stream.onerror = reconnectLater;
    publish();
  }

  function reconnectLater() {
    if (reconnectTimer) return;
    isSilent = true;
    stream?.close();
    if (!isUncertain) notice("Connection lost. Reconnecting…");
    reconnectTimer = window.setTimeout(connect, retryDelay(failures));
    failures += 1;
    publish();
  }

  function disconnect() {
    window.clearTimeout(reconnectTimer);
    reconnectTimer = 0;
    stream?.close();
    stream = null;
  }

  // Reconnect after a long silence: a device that wakes up gets no error from a dead stream.
  function checkSilence() {
    if (stream && !reconnectTimer && Date.now() - lastEventAt > 1000 * SILENCE_SECONDS) reconnectLater();
  }

  function onVisibilityChange() {
    window.clearTimeout(hiddenTimer);
    if (document.visibilityState === "visible") resume();
    else hiddenTimer = window.setTimeout(() => stream && !reconnectTimer && connect(), 1000 * HIDDEN_SECONDS);
  }

  function resume() {
    if (reconnectTimer || (stream && isHiddenAtSite)) connect();
    else checkSilence();
    compare();
  }

  // Refresh when a player's absence or clock allows the others to act.
  function scheduleRefresh() {
    window.clearTimeout(refreshTimer);
    const { until } = tableElement().dataset;
    if (!until) return;
    refreshTimer = window.setTimeout(() => requestTable("GET", table), Math.max(MIN_REFRESH_MS, msUntil(Number(until)) + 500));
  }

  document.addEventListener("htmx:beforeSend", publish);
  document.addEventListener("scoring", publish);
  document.addEventListener("htmx:afterRequest", () => window.setTimeout(publish)); // after what the answer starts
  document.addEventListener("htmx:afterSettle", scheduleRefresh);
  document.addEventListener("htmx:afterSettle", onAnswer);
  document.addEventListener("htmx:afterSettle", () => window.setTimeout(publish)); // `swapTable` sends no request
  document.addEventListener("htmx:sendError", (event) => onNoAnswer(event, UNREACHED));
  document.addEventListener("htmx:responseError", (event) => event.detail.xhr.status >= 500 && onNoAnswer(event, FAILED));
  document.addEventListener("visibilitychange", onVisibilityChange);
  window.addEventListener("online", resume);
  window.addEventListener("pagehide", disconnect);
  window.addEventListener("pageshow", (event) => event.persisted && connect());
  window.setInterval(checkSilence, SILENCE_CHECK_MS);
  scheduleRefresh();
  connect();
}

// --- clocks ------------------------------------------------------------------------------

const DAY = 86400; // seconds
const HOUR = 3600;

let clockOffset = 0; // seconds by which this machine's clock is ahead of the site's

function formatDuration(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const twoDigits = (number) => String(number).padStart(2, "0");
  if (whole >= DAY) return `${Math.floor(whole / DAY)} d ${Math.floor((whole % DAY) / HOUR)} h`;
  if (whole >= HOUR) return `${Math.floor(whole / HOUR)}:${twoDigits(Math.floor((whole % HOUR) / 60))} h`;
  return `${Math.floor(whole / 60)}:${twoDigits(whole % 60)}`;
}

function updateClocks() {
  for (const clock of document.querySelectorAll(".clock[data-due]")) {
    const left = Number(clock.dataset.due) - (Date.now() / 1000 - clockOffset);
    const words = formatDuration(left);
    if (clock.textContent !== words) clock.textContent = words;
    clock.classList.toggle("short", left < Number(clock.dataset.short));
    if (!clock.title) clock.title = `Until ${new Date(1000 * Number(clock.dataset.due)).toLocaleString()}`;
  }
}

// Set the clocks by the time of the site, in seconds.
function setClocks(now) {
  clockOffset = Date.now() / 1000 - now;
  updateClocks();
}

const msUntil = (siteTime) => 1000 * (siteTime + clockOffset) - Date.now();

// Count the clocks down, by the time of the site.
export function watchClocks() {
  document.addEventListener("htmx:afterSettle", updateClocks);
  window.setInterval(updateClocks, 1000);
  updateClocks();
}

// --- replay of others' moves -------------------------------------------------------------

// The page shows what others did move by move, at the viewer's pace. The site never waits for it.
let replayTimer = 0;
let isPaused = false;

export const isReplaying = () => tableElement().dataset.first !== undefined;

// Return the address of the first move up to `version` that the page has not shown; null if the page shows none.
function nextMove(version) {
  const { dataset } = tableElement();
  const [seat, seen] = version.split(".");
  if (dataset.pace === "0" || dataset.seat !== seat || !/^[0-9]+$/.test(seen) || dataset.first) return null;
  const next = Number(dataset.seen) + 1;
  return next <= Number(seen) ? `${dataset.table}?at=${next}&first=${next}` : null;
}

function showPresent() {
  window.clearTimeout(replayTimer);
  isPaused = false;
  const present = tableElement().querySelector("#then");
  if (present && !isRequestPending()) swapTable(present.innerHTML);
  else requestTable("GET", tableElement().dataset.table);
}

function showNextMove() {
  const { next } = tableElement().dataset;
  if (next) requestTable("GET", next);
  else showPresent();
}

// Open the tab of a piece on a narrow page.
function bringIntoView(piece) {
  const tab = piece && tableElement().querySelector(`#tab-${tabOf(piece)}`);
  if (!tab) return;
  tab.checked = true;
  piece.scrollIntoView({ block: "nearest" });
}

// Handle a key while moves are replayed; return whether the key has a meaning then.
export function handleReplayKey(key) {
  const button = { ArrowLeft: "#before", ArrowRight: "#after, #to-now", " ": "#pause:not([hidden])", Escape: "#to-now" }[key];
  const found = button && isReplaying() ? document.querySelector(button) : null;
  found?.click();
  return found !== null;
}

export function watchReplay() {
  window.addEventListener("resize", () => isReplaying() && fitQuestion(tableElement()));
}

// Highlight and animate the move that the page shows, and schedule the next one.
export function showMove() {
  const pace = Number(tableElement().dataset.pace);
  const move = replayedMove();
  if (isReplaying()) fitQuestion(tableElement());
  for (const piece of document.querySelectorAll("svg .told")) piece.classList.remove("told");
  for (const { id } of move?.touched ?? []) document.getElementById(id)?.classList.add("told");
  bringIntoView(document.querySelector("svg .told"));
  const own = ownMove();
  finishTransitions(hasHighlights() || own !== null);
  drawHighlights();
  if (own) animateMove(own, 0);
  else animateMove(move, pace);
  scheduleNextMove(pace);
}

function scheduleNextMove(pace) {
  window.clearTimeout(replayTimer);
  if (!isReplaying()) {
    isPaused = false;
    showNewScorings(tableElement());
    return;
  }
  const pause = document.querySelector("#pause");
  pause.hidden = pace <= 0;
  pause.textContent = isPaused ? "▶" : "❚❚";
  pause.setAttribute("aria-label", isPaused ? "Resume" : "Pause");
  pause.onclick = () => {
    isPaused = !isPaused;
    scheduleNextMove(pace);
  };
  const isRunning = pace > 0 && !isPaused;
  if (showScoringOfMove(tableElement(), isRunning ? showNextMove : null)) return;
  if (isRunning) replayTimer = window.setTimeout(showNextMove, pace);
}

// --- highlights --------------------------------------------------------------------------

// What others' moves touched is outlined in the pictures, with the number of the move.
const SVG = "http://www.w3.org/2000/svg";
const OUTLINE_PX = 3; // between a piece and its outline
const BADGE_PX = 9; // half the height of a number
const MAX_BADGE_SHARE = 0.2; // of the width of a piece, which a number may cover
const RISE_MS = 400; // in which points appear

function createShape(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Convert a box on the screen to the units of a picture; null if it is not visible.
function toPicture(svg, box) {
  const matrix = svg.getScreenCTM();
  if (!matrix || !box.width || !box.height) return null;
  const corners = [new DOMPoint(box.left, box.top), new DOMPoint(box.right, box.bottom)];
  const [start, end] = corners.map((point) => point.matrixTransform(matrix.inverse()));
  return { x: start.x, y: start.y, width: end.x - start.x, height: end.y - start.y, pixel: 1 / matrix.a };
}

// Convert a box in the units of a picture to the screen.
function toScreen(svg, { x, y, width, height }) {
  const matrix = svg.getScreenCTM();
  const [start, end] = [new DOMPoint(x, y), new DOMPoint(x + width, y + height)].map((point) => point.matrixTransform(matrix));
  return new DOMRect(start.x, start.y, end.x - start.x, end.y - start.y);
}

// The box of a piece, or of the part that the picture marks as its centre.
const highlightBox = (piece) => (piece.querySelector(".heart") ?? piece).getBoundingClientRect();

function highlightLayer(svg) {
  const existing = svg.querySelector(":scope > .traces");
  if (existing) return existing;
  const layer = createShape("g", { class: "traces", "aria-hidden": "true" });
  svg.append(layer);
  return layer;
}

function drawOutline(svg, box, kind) {
  const edge = OUTLINE_PX * box.pixel;
  const rect = { x: box.x - edge, y: box.y - edge, width: box.width + 2 * edge, height: box.height + 2 * edge, rx: 2 * edge };
  highlightLayer(svg).append(createShape("rect", { class: `outline ${kind}`, ...rect }));
}

function drawBadge(svg, box, number, kind) {
  const bounds = svg.viewBox.baseVal; // no badge is cut off
  const outside = Math.max(0, BADGE_PX * box.pixel - MAX_BADGE_SHARE * box.width);
  const [x, y] = ["x", "y"].map((axis) => Math.max(box[axis] - outside, bounds[axis] + BADGE_PX * box.pixel));
  const group = createShape("g", { class: `badge ${kind}`, transform: `translate(${x} ${y}) scale(${box.pixel})` });
  group.append(createShape("circle", { r: BADGE_PX }), createShape("text", { y: 4 }, number));
  highlightLayer(svg).append(group);
}

function drawPoints(svg, box, words) {
  const half = 5 + 4.5 * words.length;
  const outer = createShape("g", { transform: `translate(${box.x + box.width} ${box.y}) scale(${box.pixel})` });
  const group = createShape("g", { class: "earned" });
  group.append(createShape("rect", { x: -half, y: -12, width: 2 * half, height: 24, rx: 12 }), createShape("text", { y: 5 }, words));
  outer.append(group);
  highlightLayer(svg).append(outer);
  if (isMotionReduced()) return;
  const frames = [{ opacity: 0, transform: "translateY(22px)" }, { opacity: 1, transform: "none" }];
  group.animate(frames, { duration: RISE_MS, easing: "ease-out" });
}

const splitWords = (text) => text.split(" ").filter(Boolean);

// Return the highlighted moves, the last one first, each with the ids of what it touched.
function highlightedMoves() {
  const items = [...document.querySelectorAll(".trace > [data-touched]")];
  const moves = items.map((item, index) => {
    const points = splitWords(item.dataset.earned);
    const touched = splitWords(item.dataset.touched).map((id, place) => ({ id, points: points[place] }));
    return { number: index + 1, isCurrent: item.classList.contains("here"), seat: Number(item.dataset.seat), touched };
  });
  return moves.reverse();
}

const replayedMove = () => highlightedMoves().find((move) => move.isCurrent) ?? null;

const hasHighlights = () => document.querySelector(".trace > [data-touched]") !== null;

export function clearHighlights() {
  for (const layer of document.querySelectorAll("svg > .traces")) layer.remove();
}

// Outline what all highlighted moves touched. If several touched the same piece, it gets the number of the last one.
function drawHighlights() {
  clearHighlights();
  const outlined = new Set();
  for (const move of highlightedMoves()) {
    const kind = move.isCurrent ? "here" : "earlier";
    for (const { id, points } of move.touched) {
      const piece = document.getElementById(id);
      const svg = piece?.closest("#table svg");
      const box = svg && !outlined.has(id) && toPicture(svg, highlightBox(piece));
      if (!box) continue;
      outlined.add(id);
      drawOutline(svg, box, kind);
      drawBadge(svg, box, move.number, kind);
      if (move.isCurrent && points !== "0" && points !== "+0") drawPoints(svg, box, points);
    }
  }
}

// Draw the highlights again after pictures have changed their size.
export const redrawHighlights = () => document.querySelector("svg > .traces") && drawHighlights();

// Remove the highlights as soon as the viewer acts.
export function watchHighlights() {
  window.addEventListener("resize", () => window.requestAnimationFrame(redrawHighlights));
  document.addEventListener("click", (event) => {
    if (event.target.closest("#table :is(svg, #choose, .moves, .back)") && !event.target.closest(".theirs")) clearHighlights();
  });
  document.addEventListener("keydown", (event) => {
    if (["Enter", "Escape"].includes(event.key) || /^[0-9r]$/i.test(event.key)) clearHighlights();
  });
}

// --- animations --------------------------------------------------------------------------

// What a move has placed moves there from its old place, or else from the player's seat card or the viewer's hand.
const ANIMATION_MS = 350;
const MAX_PACE_SHARE = 0.8; // of the time for which a move is shown, if that is short
const MIN_DISTANCE_PX = 4; // below this a piece has not moved
const MAX_ANIMATED = 8; // pieces at once: if more have moved, the picture has a new layout

let animations = []; // that run now
let before = null; // the pictures as they were, the place of each piece, and the version that they showed

const isVisible = (box) => box.width > 0 && box.height > 0;
const panelOf = (piece) => piece.closest("[data-panel]");
const pictureOf = (piece) => panelOf(piece)?.querySelector(":scope > svg") ?? piece.ownerSVGElement;

// Remember how the table looks, before it is drawn again.
export function rememberPictures() {
  before = null;
  for (const animation of animations) animation.cancel();
  animations = [];
  if (isMotionReduced()) return;
  const places = new Map();
  for (const piece of document.querySelectorAll("#table svg [id]")) {
    const box = piece.getBoundingClientRect();
    places.set(piece.id, { box, panel: panelOf(piece)?.id, place: isVisible(box) ? toPicture(pictureOf(piece), box) : null });
  }
  const pictures = [...document.querySelectorAll("#table [data-panel] > svg")].map((svg) => svg.cloneNode(true));
  const find = (id) => pictures.map((svg) => svg.querySelector(`[id="${CSS.escape(id)}"]`)).find(Boolean) ?? null;
  const hand = document.querySelector("#table .in-hand svg [data-part].chosen")?.getBoundingClientRect();
  before = { places, find, hand, seen: Number(tableElement().dataset.seen) };
}

// Return the viewer's own last move; null if the page shows another one, or has shown it before.
function ownMove() {
  const { own, touched, seat } = tableElement().dataset;
  if (!before || own === undefined || Number(own) <= before.seen) return null;
  return { isOwn: true, seat: Number(seat), touched: splitWords(touched).map((id) => ({ id })) };
}

// Finish the CSS transitions of pieces that are new, and of all pieces if some are highlighted or animated: their boxes
// would be measured where the transition starts.
function finishTransitions(all) {
  for (const transition of document.getAnimations()) {
    const piece = transition instanceof CSSTransition && transition.effect.target.closest("#table svg [id]");
    if (piece && (all || !before?.places.has(piece.id))) transition.finish();
  }
}

// Return the markup of an element without what is only for screen readers.
const markupOf = (element) => element.outerHTML.replace(/ (aria-[a-z]+|role|tabindex)="[^"]*"/g, "");
const drawnChildren = (group) => [...group.children].filter((child) => !child.matches("title, [data-action]"));

// Return the new parts of a piece: all of it, or the children that it did not have. A child that is mostly unchanged is
// searched in the same way.
function newParts(piece, old = before.find(piece.id)) {
  if (!old) return [piece];
  const oldMarkup = new Set([...old.children].map(markupOf));
  return drawnChildren(piece).filter((child) => !oldMarkup.has(markupOf(child))).flatMap((child) => {
    const match = drawnChildren(old).find((candidate) => isMostlyUnchanged(child, candidate));
    return match ? newParts(child, match) : [child];
  });
}

// Whether more than half of what is drawn in a group was drawn in the old one.
function isMostlyUnchanged(group, old) {
  const oldMarkup = new Set([...old.children].map(markupOf));
  const drawn = drawnChildren(group);
  return 2 * drawn.filter((child) => oldMarkup.has(markupOf(child))).length > drawn.length;
}

const centreOf = (box) => ({ x: box.left + box.width / 2, y: box.top + box.height / 2 });

const distance = (a, b) => Math.hypot(centreOf(a).x - centreOf(b).x, centreOf(a).y - centreOf(b).y);

// Return the old box of a piece on the screen. Within one picture it moves with the part of the picture that is shown.
function oldBox(piece) {
  const old = before.places.get(piece.id);
  if (!old?.place) return null;
  return old.panel === panelOf(piece)?.id ? toScreen(pictureOf(piece), old.place) : old.box;
}

// Return where a new piece comes from: the seat card of its board's owner, or of the player who moved; on a narrow page,
// that player's points.
function originBox(piece, seat) {
  const viewer = Math.max(0, Number(tableElement().dataset.seat));
  const isOwnBoard = piece.closest("#board") && document.querySelector("#table .theirs"); // each player has a board
  const mark = `.mark.seat-${(isOwnBoard ? viewer : seat) % 6}`;
  const marks = [...document.querySelectorAll(`.seat > h2 > ${mark}, .chips ${mark}`)];
  const owner = piece.closest(".seat")?.querySelector("h2 > .mark");
  return (owner ? [owner] : marks).map((element) => element.getBoundingClientRect()).find(isVisible) ?? null;
}

// Copy a piece above the page, with its computed transforms: they may depend on its pane.
function copyAbovePage(piece) {
  const picture = piece.ownerSVGElement;
  const withDescendants = (element) => [element, ...element.querySelectorAll("*")];
  const { a, b, c, d, e, f } = piece.parentNode.getScreenCTM();
  const copy = piece.cloneNode(true);
  const transforms = withDescendants(piece).map((element) => getComputedStyle(element).transform);
  for (const [index, element] of withDescendants(copy).entries()) {
    element.removeAttribute("id");
    element.style.transform = transforms[index];
  }
  const svg = createShape("svg", { class: `flight ${picture.getAttribute("class") ?? ""}`, "aria-hidden": "true" });
  const path = createShape("g", {});
  const place = createShape("g", { transform: `matrix(${a} ${b} ${c} ${d} ${e} ${f})` });
  place.append(copy);
  path.append(place);
  svg.append(path);
  return { svg, path };
}

function animatePiece(piece, from, duration) {
  const to = piece.getBoundingClientRect();
  if (!isVisible(to) || distance(from, to) < MIN_DISTANCE_PX) return;
  const { svg, path } = copyAbovePage(piece);
  document.body.append(svg);
  const shift = `translate(${centreOf(from).x - centreOf(to).x}px, ${centreOf(from).y - centreOf(to).y}px)`;
  const animation = path.animate([{ transform: shift }, { transform: "none" }], { duration, easing: "ease-out" });
  animations.push(animation, piece.animate([{ opacity: 0 }, { opacity: 0 }], { duration }));
  for (const end of ["finish", "cancel"]) animation.addEventListener(end, () => svg.remove());
}

// Animate what a move has touched. A piece that another player has moved leaves a dashed outline at its old place.
function animateMove(move, pace) {
  if (!before || !move) return;
  const duration = pace > 0 ? Math.min(ANIMATION_MS, MAX_PACE_SHARE * pace) : ANIMATION_MS;
  const starts = []; // [element, box]
  for (const { id } of move.touched) {
    const piece = document.getElementById(id);
    const svg = piece?.closest("#table svg");
    if (!svg || !isVisible(piece.getBoundingClientRect())) continue;
    const old = oldBox(piece);
    const hasMoved = old && distance(old, piece.getBoundingClientRect()) >= MIN_DISTANCE_PX;
    if (hasMoved && !move.isOwn) drawOutline(svg, toPicture(svg, old), "left");
    const hand = move.isOwn && before.hand && isVisible(before.hand) ? before.hand : null;
    const from = hasMoved ? old : (hand ?? originBox(piece, move.seat));
    if (from) starts.push(...(hasMoved ? [piece] : newParts(piece)).map((element) => [element, from]));
  }
  before = null;
  if (starts.length <= MAX_ANIMATED) for (const [element, from] of starts) animatePiece(element, from, duration);
}
