// Panels that have not changed (pictures, chapters of the log) are not sent again: the page says which it has, and keeps them.

import { askRoom } from "./ask.js";

// A board that is larger than its pane, as on phones, is scrolled by keys as well.
export function reachBoard() {
  const board = document.querySelector("#board");
  const scrolls = board && (board.scrollWidth > board.clientWidth + 1 || board.scrollHeight > board.clientHeight + 1);
  board?.toggleAttribute("tabindex", scrolls);
  if (scrolls) board.tabIndex = 0;
}

export function keepPanels() {
  let all = false; // are all panels wanted?
  document.addEventListener("htmx:configRequest", (event) => {
    if (all) return;
    const panels = [...document.querySelectorAll("[data-panel]")];
    event.detail.headers["X-Panels"] = panels.map((panel) => `${panel.dataset.panel}=${panel.dataset.drawn}`).join(" ");
  });
  // What the answer leaves out stays as it is, if it is what was meant.
  const stays = (own, fresh) => fresh.dataset?.kept !== undefined && own.dataset?.drawn === fresh.dataset.drawn;
  window.Idiomorph.defaults.callbacks.beforeNodeMorphed = (own, fresh) => !stays(own, fresh);
  // One that was left out and is not there after all, since the page has been laid out anew, is fetched.
  document.addEventListener("htmx:afterSettle", () => {
    all = document.querySelector("[data-kept]") !== null;
    const { table, address = table } = document.querySelector("#table").dataset; // a replay has one for each position
    if (all) askRoom("GET", address);
  });
}
