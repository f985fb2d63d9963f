// The table's page: sets up what it shows and how it is played, and again whenever the table is drawn again.

import { startChat } from "./chat.js";
import { MoveInput, isLessonTelling } from "./move-input.js";
import { copyField, enableSounds, playSound, showLocalTimes } from "./site.js";
import {
  clearHighlights,
  followTable,
  handleReplayKey,
  isReplaying,
  rememberPictures,
  showMove,
  watchClocks,
  watchHighlights,
  watchReplay,
} from "./table-stream.js";
import {
  fitPictures,
  keepFragments,
  leadToReplay,
  linkLog,
  moveOnHold,
  namePieces,
  openTab,
  rememberTab,
  restoreTab,
  scrollLog,
  tabOf,
  watchAnalysis,
  watchHeldMoves,
  watchPictures,
  watchRequests,
  watchScorings,
  watchTabs,
  watchTooltips,
} from "./table-view.js";

const tableElement = () => document.querySelector("#table");

// --- drawing -----------------------------------------------------------------------------

let input = null; // MoveInput, if the viewer has a choice
let isMoveListOpen = false; // the list of moves is for pages without scripts, and on request
let openDetails = []; // [id of a seat menu, index of its open <details>]
let hadFocus = false; // the focus was inside the table before it was drawn again

function drawTable() {
  showLocalTimes(tableElement());
  input?.end();
  const table = tableElement();
  restoreTab(table);
  showTurn(table);
  const showKeys = table.querySelector("#show-keys");
  if (showKeys) showKeys.hidden = false; // before its neighbours are measured
  showMove();
  input = table.querySelector("#choices") ? new MoveInput(table) : null;
  table.querySelector(".moves")?.toggleAttribute("open", isMoveListOpen);
  for (const [id, index] of openDetails) document.getElementById(id)?.querySelectorAll("details")[index]?.setAttribute("open", "");
  for (const copy of table.querySelectorAll(".copy")) copy.hidden = false;
  scrollLog();
  fitPictures();
  namePieces(table);
  restorePositionText(table);
  startLesson();
}

// Remember what the page shows, before the table is drawn again.
function leaveTable() {
  const table = tableElement();
  hadFocus = table.contains(document.activeElement) || (hadFocus && document.activeElement === document.body);
  rememberTab(table);
  clearHighlights();
  rememberPictures();
  isMoveListOpen = Boolean(table.querySelector(".moves")?.open);
  openDetails = [...table.querySelectorAll(".relief")].flatMap(({ id, children }) => {
    const details = [...children].filter((child) => child.matches("details"));
    return details.map((child, index) => [id, index, child.open]).filter(([, , isOpen]) => isOpen);
  });
}

// Focus what a player does next, if the focus was inside the table. While moves are replayed there is nothing to do.
function restoreFocus() {
  if (isReplaying()) return;
  const table = tableElement();
  const isOverAfterOthers = document.activeElement.matches("#board svg") && table.querySelector(".finale");
  if (!hadFocus || !(document.activeElement === document.body || isOverAfterOthers)) return;
  const toConfirm = "#notice[data-sure] ~ #choose :is([data-choice], .course):is([aria-pressed='true'], #play-it)";
  const menu = ".relief:popover-open :is(button, summary)"; // its last item has gone, and it covers the rest
  const selectors = [".curtain button", menu, ".finale h2", toConfirm, isMoveListOpen ? ".moves summary" : "svg .aimed"];
  const found = selectors.map((selector) => table.querySelector(selector)).find(Boolean);
  const element = found ?? input?.answerButton ?? table.querySelector("#board svg") ?? table;
  if (element.matches("svg")) element.setAttribute("tabindex", "-1");
  element.focus({ preventScroll: true });
}

// --- turn --------------------------------------------------------------------------------

let wasDue = null; // it was the viewer's turn when the table was drawn last; null at first

// Show in the page's icon, and by a sound, that it is the viewer's turn. A puzzle keeps the icon of its page.
function showTurn(table) {
  const link = document.querySelector('link[rel="icon"]');
  const { icon = link.getAttribute("href") } = table.dataset;
  if (link.getAttribute("href") !== icon) link.setAttribute("href", icon);
  const isDue = table.dataset.due === "1";
  if (isDue && wasDue === false) playSound(table.dataset.sound);
  wasDue = isDue;
}

// --- position as text --------------------------------------------------------------------

// The text is fetched while its <details> is open, again whenever the table has changed, by one request at a time.
const POSITION_TEXT = "#table details.words";

let isTextOpen = false;
let isTextRequested = false;
let isTextOutdated = false; // the table has changed since the last request

// A click sets `isTextOpen`, not the `toggle` event: drawing the table again opens and closes the <details> as well.
function watchPositionText() {
  document.addEventListener("click", (event) => {
    const details = event.target.closest(`${POSITION_TEXT} > summary`)?.parentElement;
    if (!details) return;
    isTextOpen = !details.open;
    if (isTextOpen) updatePositionText();
  });
}

function restorePositionText(table) {
  const details = table.querySelector("details.words");
  if (!details) return;
  details.open = isTextOpen;
  if (isTextOpen) updatePositionText();
}

async function updatePositionText() {
  isTextOutdated = true;
  if (isTextRequested) return;
  isTextRequested = true;
  while (isTextOpen && isTextOutdated) {
    isTextOutdated = false;
    const text = await fetchPositionText(tableElement().dataset.table);
    const element = document.querySelector(`${POSITION_TEXT} > pre`);
    if (element && text !== null) element.textContent = text;
  }
  isTextRequested = false;
}

async function fetchPositionText(table) {
  try {
    const answer = await fetch(`${table}/text`);
    return answer.ok ? await answer.text() : null;
  } catch {
    return null; // no connection: the link to the text stays
  }
}

// --- focus after a page load -------------------------------------------------------------

// The forms of seat menus and proposals load the page again. A player who sent one by keyboard continues where it was.
const FOCUS_KEY = "left by keyboard"; // in the storage of this tab, until the page is back

function rememberForm(event) {
  const form = event.target.closest("#table form");
  if (!form || event.defaultPrevented || !document.activeElement?.matches(":focus-visible")) return;
  const menu = form.closest(".relief")?.id ?? "";
  const isProposal = form.getAttribute("action").endsWith("/propose");
  try {
    sessionStorage.setItem(FOCUS_KEY, JSON.stringify({ table: tableElement().dataset.table, menu, isProposal }));
  } catch {
    // the browser allows no storage: the focus starts at the top
  }
}

function takeRememberedForm() {
  try {
    const form = sessionStorage.getItem(FOCUS_KEY);
    sessionStorage.removeItem(FOCUS_KEY);
    return JSON.parse(form);
  } catch {
    return null;
  }
}

function focusAfterLoad() {
  document.addEventListener("submit", rememberForm);
  const table = tableElement();
  const form = takeRememberedForm();
  if (form?.table !== table.dataset.table) return;
  const menuButton = form.menu ? table.querySelector(`[popovertarget="${form.menu}"]`) : null;
  const element = table.querySelector(".finale h2") ?? (form.isProposal ? table.querySelector("#proposal") : menuButton);
  if (element) {
    const tab = table.querySelector(`#tab-${tabOf(element)}`);
    if (tab) openTab(tab);
    element.focus();
  } else {
    hadFocus = true;
    restoreFocus();
  }
}

// --- lesson ------------------------------------------------------------------------------

// The lesson of a first game shows one step at a time beside its subject, and darkens the rest of the page.

const NARROW = window.matchMedia("(max-width: 767px)");
const RING_PX = 5; // between a subject and its ring
const PREVIEW_RING_PX = 2; // around a preview, which has an outline
const CORNER_PX = 10; // radius
const DISTANCE_PX = 14; // between a ring and the step
const MARGIN_PX = 8; // from the edge of the window
const TARGET_WEIGHT = 20; // of hiding what can be chosen, compared with the subject
const SETTLE_MS = 300; // until a page that is drawn again stands still

let lessonListeners = null; // of the step that is shown
let focusedStep = ""; // the step that has had the focus

const lessonKey = () => `lesson ${tableElement().dataset.table}`;

// Return the step that was shown last in this tab: the page may have been loaded again.
function storedStep() {
  try {
    return Number(sessionStorage.getItem(lessonKey()) ?? -1);
  } catch {
    return -1;
  }
}

function storeStep(index) {
  try {
    sessionStorage.setItem(lessonKey(), index);
  } catch {
    // the browser allows no storage: the step is shown again
  }
}

function startLesson() {
  lessonListeners?.abort();
  lessonListeners = new AbortController();
  const element = document.querySelector("#lesson");
  const steps = element ? [...element.querySelectorAll("li")] : [];
  const first = Math.min(Number(element?.dataset.number ?? 1) - 1, steps.length - 1);
  if (!element || storedStep() >= steps.length) {
    if (element) element.hidden = true;
    removeBackdrop();
    return;
  }
  new Lesson(element, steps).show(Math.max(first, storedStep()));
}

class Lesson {
  constructor(element, steps) {
    const { signal } = lessonListeners;
    this.element = element;
    this.steps = steps;
    this.signal = signal;
    element.querySelector(".foot").hidden = false;
    const on = (target, kind, handle, options = {}) => target.addEventListener(kind, handle, { signal, ...options });
    on(element.querySelector(".back"), "click", () => this.show(this.index - 1));
    on(element.querySelector(".on"), "click", () => this.show(this.index + 1));
    const placeSoon = () => this.placeSoon();
    on(window, "resize", placeSoon, { capture: true });
    for (const kind of ["scroll", "change", "transitionend", "ghost"]) on(document, kind, placeSoon, { capture: true });
    for (const kind of ["click", "keyup"]) on(document, kind, placeSoon);
    const sizes = new ResizeObserver(placeSoon);
    for (const child of [tableElement(), ...tableElement().querySelectorAll(".dock, .pane, .drawn, .seat")]) sizes.observe(child);
    signal.addEventListener("abort", () => sizes.disconnect());
  }

  get step() {
    return this.steps[this.index];
  }

  // Whether the step only has to be read.
  get isTelling() {
    return this.index < this.steps.length - 1 || !("do" in this.step.dataset);
  }

  show(index) {
    storeStep(index);
    if (index >= this.steps.length) {
      this.end();
      return;
    }
    this.index = index;
    for (const step of this.steps) step.hidden = step !== this.step;
    this.element.classList.add("shown");
    this.element.classList.toggle("telling", this.isTelling);
    const isAboutBoard = this.step.dataset.point.split(" ").includes("board");
    tableElement().querySelector(".room").inert = this.isTelling;
    tableElement().querySelector("#board").classList.toggle("overseen", this.isTelling && isAboutBoard);
    tableElement().dispatchEvent(new Event("lesson")); // MoveInput shows its cursor when it may be played
    this.drawFoot();
    this.openTab();
    this.place();
    window.setTimeout(() => this.placeSoon(), SETTLE_MS);
    this.takeFocus();
  }

  drawFoot() {
    const { count } = this.element.dataset;
    const isClosing = this.index >= Number(count);
    this.element.querySelector(".place").hidden = isClosing;
    this.element.querySelector(".place").textContent = ` · ${this.index + 1} of ${count}`;
    for (const [index, dot] of [...this.element.querySelectorAll(".dots i")].entries()) {
      dot.className = index < this.index ? "done" : index === this.index ? "here" : "";
    }
    this.element.querySelector(".back").disabled = this.index === 0;
    const next = this.element.querySelector(".on");
    next.hidden = !this.isTelling;
    next.textContent = isClosing ? "Play on" : "Next";
  }

  // Focus a new step; a page that is drawn again in the same step keeps its focus.
  takeFocus() {
    const step = `${lessonKey()} ${this.index}`;
    if (focusedStep === step) return;
    focusedStep = step;
    (this.isTelling ? this.element.querySelector(".on") : this.element).focus({ preventScroll: true });
  }

  end() {
    const table = tableElement();
    this.element.hidden = true;
    this.element.classList.remove("telling");
    table.querySelector(".room").inert = false;
    table.querySelector("#board").classList.remove("overseen");
    table.dispatchEvent(new Event("lesson"));
    lessonListeners.abort();
    removeBackdrop();
    openTab(table.querySelector('.room > [name="tab"][checked]')); // of the question
    table.focus({ preventScroll: true });
  }

  // --- places ---

  get subjects() {
    return this.step.dataset.point.split(" ").map(subjectNamed).filter(Boolean);
  }

  // What the step allows to choose on the pictures.
  get targets() {
    return this.isTelling ? [] : [...tableElement().querySelectorAll("svg [data-action]:not(.away)")];
  }

  // Open the tab of the step on a narrow page, and scroll there: to its targets rather than its subjects.
  openTab() {
    const tab = [...this.targets, ...this.subjects].map(tabOf).find(Boolean);
    if (tab) openTab(tableElement().querySelector(`#tab-${tab}`));
    const elements = [...this.targets.slice(0, 1), ...this.subjects.reverse()];
    for (const element of elements) element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  placeSoon() {
    window.cancelAnimationFrame(this.frame);
    this.frame = window.requestAnimationFrame(() => this.place());
  }

  place() {
    if (!this.element.isConnected || this.element.hidden || this.signal.aborted) return;
    const visibleBoxes = (elements, margin) => elements.map((element) => visibleBox(element, margin)).filter(Boolean);
    const subjects = visibleBoxes(this.subjects);
    const targets = visibleBoxes(this.targets);
    const previews = this.isTelling ? [] : visibleBoxes([...tableElement().querySelectorAll("#board .ghost")], PREVIEW_RING_PX);
    const dock = this.isTelling ? [] : [boxAround(tableElement().querySelector(".dock"))];
    drawBackdrop(subjects, [...targets, ...previews, ...dock]);
    placeBeside(this.element, [...subjects, ...previews], [...targets, ...dock], subjects);
  }
}

// Return the element that a step names: a place of the page, a panel, or a piece. If a sheet hides it, return the button
// of the sheet.
function subjectNamed(name) {
  const table = tableElement();
  const places = { board: "#board", question: ".dock", seats: ".seats", log: ".pane.log" };
  const panel = `[data-panel="${CSS.escape(name)}"]`;
  const element = table.querySelector(places[name] ?? panel) ?? document.getElementById(name);
  const sheet = element?.closest(".aside:not(:popover-open)");
  if (sheet && !sheet.checkVisibility()) return table.querySelector(`[popovertarget="${sheet.id}"]`);
  return element?.matches(".drawn") ? (element.closest(".pane, .theirs, .aside") ?? element) : element;
}

function boxAround(element, margin = RING_PX) {
  const { x, y, width, height } = element.getBoundingClientRect();
  if (!width && !height) return null;
  return { left: x - margin, top: y - margin, right: x + width + margin, bottom: y + height + margin };
}

// Return the box of an element above the bar, which covers the panes of a narrow page.
function visibleBox(element, margin = RING_PX) {
  const box = boxAround(element, margin);
  const bar = tableElement().querySelector(".dock");
  if (!box || !NARROW.matches || bar.contains(element)) return box;
  const bottom = Math.min(box.bottom, bar.getBoundingClientRect().top);
  return bottom > box.top ? { ...box, bottom } : null;
}

// --- lesson: backdrop ---

const removeBackdrop = () => document.querySelector("#veil")?.remove();

// Darken the page but for holes around the subjects, each with a ring, and around what can be chosen.
function drawBackdrop(subjects, others) {
  const backdrop = document.querySelector("#veil") ?? createBackdrop();
  const [dark, ...rings] = backdrop.children;
  const page = `M0 0H${window.innerWidth}V${window.innerHeight}H0Z`;
  dark.style.clipPath = `path(evenodd, "${[page, ...mergeOverlapping([...subjects, ...others]).map(holePath)].join("")}")`;
  for (const ring of rings.slice(subjects.length)) ring.remove();
  for (const [index, box] of subjects.entries()) placeRing(rings[index] ?? backdrop.appendChild(document.createElement("i")), box);
}

function createBackdrop() {
  const backdrop = document.createElement("div");
  backdrop.id = "veil";
  backdrop.append(document.createElement("div"));
  return document.body.appendChild(backdrop);
}

// Return a rectangle with round corners as a path.
function holePath({ left, top, right, bottom }) {
  const r = Math.min(CORNER_PX, (right - left) / 2, (bottom - top) / 2);
  const corner = (x, y) => `a${r} ${r} 0 0 1 ${x} ${y}`;
  return `M${left + r} ${top}H${right - r}${corner(r, r)}V${bottom - r}${corner(-r, r)}H${left + r}${corner(-r, -r)}V${top + r}${corner(r, -r)}Z`;
}

// Replace boxes that overlap by the box around them: the shared part of two holes would be dark again.
function mergeOverlapping(boxes) {
  const merged = [];
  for (let box of boxes) {
    const nextOverlap = () => merged.findIndex((other) => overlap(other, box) > 0);
    for (let index = nextOverlap(); index >= 0; index = nextOverlap()) box = boundingBox([box, ...merged.splice(index, 1)]);
    merged.push(box);
  }
  return merged;
}

function placeRing(ring, { left, top, right, bottom }) {
  Object.assign(ring.style, { left: `${left}px`, top: `${top}px`, width: `${right - left}px`, height: `${bottom - top}px` });
}

const boundingBox = (boxes) => ({
  left: Math.min(...boxes.map((box) => box.left)),
  top: Math.min(...boxes.map((box) => box.top)),
  right: Math.max(...boxes.map((box) => box.right)),
  bottom: Math.max(...boxes.map((box) => box.bottom)),
});

function overlap(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}

// --- lesson: place of a step ---

// Put a step beside its subjects, where it hides as little as possible of them and of what can be chosen.
function placeBeside(element, subjects, targets, beside) {
  const { offsetWidth: width, offsetHeight: height } = element;
  const spots = NARROW.matches ? spotsAboveBar(height, [...subjects, ...targets]) : spotsBeside(beside, width, height);
  const costOf = (spot) => {
    const box = { left: spot.left, top: spot.top, right: spot.left + width, bottom: spot.top + height };
    const costs = [...subjects.map((other) => overlap(other, box)), ...targets.map((other) => TARGET_WEIGHT * overlap(other, box))];
    return costs.reduce((sum, cost) => sum + cost, 0);
  };
  const best = spots.reduce((found, spot) => (costOf(spot) < costOf(found) ? spot : found));
  element.dataset.side = best.side ?? "";
  Object.assign(element.style, { left: `${best.left}px`, top: `${best.top}px` });
  element.style.setProperty("--at", `${best.at ?? 0}px`);
}

// Return the spots of a narrow page: just above the bar, at the top, or just above or below a box.
function spotsAboveBar(height, boxes) {
  const minTop = document.querySelector(".top").getBoundingClientRect().bottom + MARGIN_PX;
  const maxTop = tableElement().querySelector(".dock").getBoundingClientRect().top - height - MARGIN_PX;
  const nearBoxes = boxes.flatMap((box) => [box.bottom + DISTANCE_PX, box.top - DISTANCE_PX - height]);
  const tops = [maxTop, minTop, ...nearBoxes.filter((top) => top > minTop && top < maxTop)];
  return tops.map((top) => ({ left: MARGIN_PX, top }));
}

// Return the spots of a wide page: the four sides of the boxes, as far as there is room, and the corners of the window.
function spotsBeside(boxes, width, height) {
  const [right, bottom] = [window.innerWidth - width - MARGIN_PX, window.innerHeight - height - MARGIN_PX];
  const places = [[right, bottom], [MARGIN_PX, bottom], [right, MARGIN_PX], [MARGIN_PX, MARGIN_PX]];
  const corners = places.map(([left, top]) => ({ left, top }));
  if (!boxes.length) return corners;
  const box = boundingBox(boxes);
  const clamp = (value, most) => Math.max(MARGIN_PX, Math.min(value, most));
  const top = clamp((box.top + box.bottom - height) / 2, bottom);
  const left = clamp((box.left + box.right - width) / 2, right);
  const down = { top, at: (box.top + box.bottom) / 2 - top };
  const across = { left, at: (box.left + box.right) / 2 - left };
  const sides = [
    { side: "right", left: box.right + DISTANCE_PX, ...down },
    { side: "left", left: box.left - DISTANCE_PX - width, ...down },
    { side: "below", top: box.bottom + DISTANCE_PX, ...across },
    { side: "above", top: box.top - DISTANCE_PX - height, ...across },
  ];
  const fits = (spot) => spot.left >= MARGIN_PX && spot.left <= right && spot.top >= MARGIN_PX && spot.top <= bottom;
  return [...sides.filter(fits), ...corners];
}

// --- notices, links and keys -------------------------------------------------------------

// Show a sentence above the question.
function showNotice(sentence) {
  const notice = document.querySelector("#notice");
  if (!notice || notice.textContent === sentence) return;
  notice.textContent = sentence;
  notice.hidden = false;
  for (const name of ["sure", "wait"]) delete notice.dataset[name]; // it asks for no confirmation any more
}

async function copyLink(button) {
  if (await copyField(button)) document.querySelector("#copied").textContent = "Copied";
  else button.parentElement.classList.add("shown");
}

const TAKES_KEYS = "input, textarea, select, #log, pre";

function onKey(event) {
  const dialog = document.querySelector("#keys");
  if (event.key === "Escape" && event.target.closest("#log")) input?.takeFocus(); // leaves a log of many links
  if (event.altKey || event.ctrlKey || event.metaKey || dialog.open) return;
  if (event.target.closest(`${TAKES_KEYS}, #scoring, #chat`) || isLessonTelling()) return;
  if (event.key === "Escape" && event.target.closest(".aside:popover-open")) return; // closes the sheet
  if (document.querySelector(":popover-open:not(.naming, .chat)") && !event.target.closest(".aside")) return; // covers the board
  if (event.repeat && event.key === "Enter") return event.preventDefault(); // a key that is held down plays once
  if (event.key === "?") dialog.showModal();
  else if (handleReplayKey(event.key)) {
    event.preventDefault();
    return;
  }
  else if (/^u$/i.test(event.key) && moveOnHold()) input.cancel();
  else if (/^[hu]$/i.test(event.key)) document.querySelector(`#question [data-key="${event.key.toLowerCase()}"]`)?.click();
  else if (!input?.keyboard.handle(event)) return;
  event.preventDefault();
}

function onClick(event) {
  if (moveOnHold() && event.target.closest('#question [data-key="u"]')) {
    event.preventDefault();
    input.cancel();
  }
  if (event.target.closest("#show-keys")) document.querySelector("#keys").showModal();
  const field = event.target.closest(".invite input, .to-watch input");
  if (field) field.select();
  const copy = event.target.closest(".copy");
  if (copy) copyLink(copy);
}

// --- start -------------------------------------------------------------------------------

enableSounds();
watchTabs();
watchReplay();
document.addEventListener("keydown", onKey);
document.addEventListener("click", onClick);
document.addEventListener("htmx:beforeSwap", leaveTable);
document.addEventListener("htmx:afterSettle", () => {
  drawTable();
  restoreFocus();
});
document.documentElement.classList.add("scripted");
watchClocks();
linkLog();
watchScorings();
watchAnalysis();
leadToReplay();
watchHighlights();
watchPictures();
watchPositionText();
watchTooltips();
keepFragments();
watchRequests();
watchHeldMoves();
startChat();
drawTable();
focusAfterLoad();
if (!("still" in tableElement().dataset)) followTable(tableElement().dataset.table, showNotice); // a puzzle has no stream
