// The table page: choosing, the log, and the stream, begun anew whenever the table has changed.

import { Board } from "./move-input.js";
import { beginChat } from "./chat.js";
import { fitTheirs, watchTheirs } from "./closer.js";
import { takeOff } from "./flight.js";
import { watchClocks } from "./clocks.js";
import { copyField } from "./copying.js";
import { beginFollowing, followKey, isFollowing } from "./following.js";
import { beginLesson, isTelling } from "./lesson.js";
import { nameAll } from "./heard.js";
import { ownTimes } from "./hours.js";
import { follow } from "./table-stream.js";
import { linkLog, showNewest } from "./log.js";
import { nameSigns } from "./names.js";
import { keepPanels } from "./panels.js";
import { comeBack } from "./returning.js";
import { linkScorings } from "./scoring.js";
import { noteSending } from "./sent.js";
import { leaveTabs, openTab } from "./table-view.js";
import { clearTraces, watchTraces } from "./traces.js";
import { showTurn } from "./turn.js";
import { inWords, watchWords } from "./words.js";

const FIELDS = "input, textarea, select, #log, pre"; // they have their own use for keys
let board = null;
let listOpen = false; // the list of moves is for whoever has no scripts, or asks for it
let unfolded = []; // what stood open in the menu of a seat: its id, and the number of what it holds
let working = false; // was the focus on the table when it was drawn anew?

function begin() {
  ownTimes(document.querySelector("#table"));
  board?.leave();
  const table = document.querySelector("#table");
  openTab(table);
  showTurn(table);
  const keys = table.querySelector("#show-keys");
  if (keys) keys.hidden = false; // before anything beside it is measured
  beginFollowing();
  board = table.querySelector("#choices") ? new Board(table) : null;
  table.querySelector(".moves")?.toggleAttribute("open", listOpen);
  for (const [id, number] of unfolded) document.getElementById(id)?.querySelectorAll("details")[number]?.setAttribute("open", "");
  for (const copy of table.querySelectorAll(".copy")) copy.hidden = false;
  showNewest();
  fitTheirs();
  nameAll(table);
  inWords(table);
  beginLesson();
}

function leave() {
  const table = document.querySelector("#table");
  working = table.contains(document.activeElement) || (working && document.activeElement === document.body);
  leaveTabs(table);
  clearTraces();
  takeOff();
  listOpen = Boolean(table.querySelector(".moves")?.open);
  const folds = [...table.querySelectorAll(".relief")].flatMap(({ id, children }) => [...children].filter((one) => one.matches("details")).map((one, number) => [id, number, one.open]));
  unfolded = folds.filter(([, , open]) => open);
}

// Whoever worked at the table goes on where the next thing is to be done; while others' moves are shown that is nowhere.
function keepFocus() {
  if (isFollowing()) return;
  const table = document.querySelector("#table");
  const waited = document.activeElement.matches("#board svg") && table.querySelector(".finale"); // others had the last move
  if (!working || !(document.activeElement === document.body || waited)) return;
  const asked = "#notice[data-sure] ~ #choose :is([data-choice], .course):is([aria-pressed='true'], #play-it)"; // to be pressed again
  const menu = ".relief:popover-open :is(button, summary)"; // what stood in it is not possible any more, and it lies over the rest
  const places = [".curtain button", menu, ".finale h2", asked, listOpen ? ".moves summary" : "svg .aimed"];
  const entry = places.map((place) => table.querySelector(place)).find(Boolean) ?? board?.answer ?? table.querySelector("#board svg") ?? table;
  if (entry.matches("svg")) entry.setAttribute("tabindex", "-1");
  entry.focus({ preventScroll: true });
}

async function copyLink(button) {
  if (await copyField(button)) document.querySelector("#copied").textContent = "Copied";
  else button.parentElement.classList.add("shown");
}

function notice(sentence) {
  const place = document.querySelector("#notice");
  if (!place || place.textContent === sentence) return;
  place.textContent = sentence;
  place.hidden = false;
  delete place.dataset.sure; // nothing is asked there any more
}

function keyed(event) {
  const dialog = document.querySelector("#keys");
  if (event.key === "Escape" && event.target.closest("#log")) board?.takeFocus(); // out of a log of many links
  if (event.altKey || event.ctrlKey || event.metaKey || dialog.open || event.target.closest(`${FIELDS}, #scoring, #chat`)) return;
  if (isTelling()) return; // it is to be read first
  if (event.key === "Escape" && event.target.closest(".aside:popover-open")) return; // the sheet closes
  if (document.querySelector(":popover-open:not(.naming, .chat)") && !event.target.closest(".aside")) return; // a sheet lies over the board
  if (event.repeat && event.key === "Enter") return event.preventDefault(); // a key held down plays once
  if (event.key === "?") dialog.showModal();
  else if (followKey(event.key)) {
    event.preventDefault();
    return;
  }
  else if (/^[hu]$/i.test(event.key)) document.querySelector(`#question [data-key="${event.key.toLowerCase()}"]`)?.click();
  else if (!board?.keys.pressed(event)) return;
  event.preventDefault();
}

document.addEventListener("keydown", keyed);
document.addEventListener("click", (event) => {
  if (event.target.closest("#show-keys")) document.querySelector("#keys").showModal();
  const link = event.target.closest(".invite input, .to-watch input");
  if (link) link.select();
  const copy = event.target.closest(".copy");
  if (copy) copyLink(copy);
});
document.addEventListener("htmx:beforeSwap", leave);
document.addEventListener("htmx:afterSettle", () => {
  begin();
  keepFocus();
});
document.documentElement.classList.add("scripted");
watchClocks();
linkLog();
linkScorings();
watchTraces();
watchTheirs();
watchWords();
nameSigns();
keepPanels();
noteSending();
beginChat();
begin();
comeBack(() => {
  working = true;
  keepFocus();
});
follow(document.querySelector("#table").dataset.table, notice);
