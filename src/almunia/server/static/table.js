// The table page: choosing, the log, and the stream, begun anew whenever the room has changed.

import { Board } from "./board.js";
import { follow } from "./live.js";
import { linkLog, showNewest } from "./log.js";

const FIELDS = "input, textarea, select, #log, pre"; // they have their own use for keys
let board = null;

function begin() {
  board?.leave();
  const room = document.querySelector("#room");
  board = room.querySelector("#choices") ? new Board(room) : null;
  room.querySelector(".moves")?.removeAttribute("open"); // the list is for whoever has no scripts, or asks for it
  const keys = room.querySelector("#show-keys");
  if (keys) keys.hidden = false;
  showNewest();
}

function notice(sentence) {
  const place = document.querySelector("#notice");
  if (place && place.textContent !== sentence) place.textContent = sentence;
}

function keyed(event) {
  const dialog = document.querySelector("#keys");
  if (event.altKey || event.ctrlKey || event.metaKey || dialog.open || event.target.closest(FIELDS)) return;
  if (event.key === "?") dialog.showModal();
  else if (event.key.toLowerCase() === "u") document.querySelector('#question [data-key="u"]')?.click();
  else if (!board?.key(event)) return;
  event.preventDefault();
}

document.addEventListener("keydown", keyed);
document.addEventListener("click", (event) => {
  if (event.target.closest("#show-keys")) document.querySelector("#keys").showModal();
  const link = event.target.closest(".invite input");
  if (link) link.select();
});
document.addEventListener("htmx:afterSettle", begin);
document.addEventListener("htmx:sendError", () => notice("The site cannot be reached. Nothing was played; please try again."));
document.addEventListener("htmx:responseError", (event) => {
  if (event.detail.xhr.status >= 500) notice("Something went wrong at the site. The table is as it was; please try again.");
});
linkLog();
begin();
follow(document.querySelector("#room").dataset.table, notice);
