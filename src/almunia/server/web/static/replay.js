// The page of a replay: steps by links, by keyboard and by a scrubber. During the game it follows the table's stream, and
// says when the game has moved on.

import { BoardZoom } from "./move-input.js";
import { copyField } from "./site.js";
import { followTable } from "./table-stream.js";
import {
  fitPictures,
  keepFragments,
  linkLog,
  makeBoardScrollable,
  namePieces,
  requestTable,
  scrollLog,
  watchAnalysis,
  watchPictures,
  watchScorings,
  watchTabs,
  watchTooltips,
} from "./table-view.js";

const SCRUB_DELAY_MS = 80; // for which the scrubber must not move

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, textarea, select, dialog")) return;
  const link = document.querySelector(`.steps [data-key="${CSS.escape(event.key)}"]`);
  if (link) link.click();
  if (link || ["ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) event.preventDefault();
});

let scrubTimer = 0;
document.addEventListener("input", (event) => {
  if (!event.target.matches(".scrubber")) return;
  window.clearTimeout(scrubTimer);
  scrubTimer = window.setTimeout(() => {
    const address = new URL(event.target.form.action);
    for (const [name, value] of new FormData(event.target.form)) address.searchParams.set(name, value);
    requestTable("GET", address.pathname + address.search);
    window.history.replaceState(null, "", address);
  }, SCRUB_DELAY_MS);
});

document.addEventListener("click", (event) => {
  const copy = event.target.closest(".copy");
  if (copy) copyField(copy);
});

const { follows, seen } = document.querySelector("#table").dataset; // when the page was opened
let zoom = null; // of a board whose letters a phone would show too small

function drawPosition() {
  const moved = document.querySelector("#moved"); // absent beside a better move
  if (moved && document.querySelector("#table").dataset.seen !== seen) moved.textContent = "The game has moved on.";
  document.querySelector(".scrub button").hidden = true;
  for (const copy of document.querySelectorAll(".copy")) copy.hidden = false;
  scrollLog();
  zoom?.end();
  zoom = new BoardZoom(document.querySelector("#table"));
  zoom.fit([]);
  fitPictures();
  namePieces(document.querySelector("#table"));
  makeBoardScrollable();
}

watchAnalysis();
watchTabs();
document.addEventListener("htmx:beforeSwap", () => zoom.end());
document.addEventListener("htmx:afterSettle", drawPosition);
linkLog();
watchScorings();
watchTooltips();
keepFragments();
watchPictures();
drawPosition();
if (follows) followTable(follows, (sentence) => (document.querySelector("#notice").textContent = sentence));
