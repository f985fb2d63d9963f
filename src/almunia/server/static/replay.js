// The replay by keyboard and scrubber.

import { askRoom } from "./ask.js";
import { fitTheirs, watchTheirs } from "./closer.js";
import { nameAll } from "./heard.js";
import { linkLog, showNewest } from "./log.js";
import { nameSigns } from "./names.js";
import { keepPanels, reachBoard } from "./panels.js";
import { linkScorings } from "./scoring.js";

const REST = 80; // milliseconds for which the scrubber must lie still

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
  const link = document.querySelector(`.steps [data-key="${CSS.escape(event.key)}"]`);
  if (link) link.click();
  if (link || ["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) event.preventDefault();
});

let later = 0;
document.addEventListener("input", (event) => {
  if (event.target.id !== "scrubber") return;
  window.clearTimeout(later);
  later = window.setTimeout(() => {
    const address = new URL(event.target.form.action);
    for (const [name, value] of new FormData(event.target.form)) address.searchParams.set(name, value);
    askRoom("GET", address.pathname + address.search);
    window.history.replaceState(null, "", address);
  }, REST);
});

function begin() {
  document.querySelector(".scrub button").hidden = true;
  showNewest();
  fitTheirs();
  nameAll(document.querySelector("#table"));
  reachBoard();
}

document.addEventListener("htmx:afterSettle", begin);
linkLog();
linkScorings();
nameSigns();
keepPanels();
watchTheirs();
begin();
