// What is done about a seat, and an answer to what was asked, load the page anew. Whoever did it by keyboard goes on from
// where they were: at what was asked, or at the menu that they had opened.

import { open, tabOf } from "./table-view.js";

const LEFT = "left by keyboard"; // under which this tab of the browser remembers it until the page is back

function left(event) {
  const form = event.target.closest("#table form");
  if (!form || event.defaultPrevented || !document.activeElement?.matches(":focus-visible")) return;
  const from = form.closest(".relief")?.id ?? "";
  const what = { table: document.querySelector("#table").dataset.table, from, asks: form.getAttribute("action").endsWith("/ask") };
  try {
    sessionStorage.setItem(LEFT, JSON.stringify(what));
  } catch {
    // nothing can be kept here: the page begins anew
  }
}

function taken() {
  try {
    const kept = sessionStorage.getItem(LEFT);
    sessionStorage.removeItem(LEFT);
    return JSON.parse(kept);
  } catch {
    return null;
  }
}

// The element that gets the focus, or nothing if that is wherever the next thing is to be done.
function placeOf(table, { from, asks }) {
  const menu = from ? table.querySelector(`[popovertarget="${from}"]`) : null;
  return table.querySelector(".finale h2") ?? (asks ? table.querySelector("#proposal") : menu);
}

// Calls `otherwise` if the focus was here, and what it was on has gone.
export function comeBack(otherwise) {
  document.addEventListener("submit", left);
  const table = document.querySelector("#table");
  const kept = taken();
  if (kept?.table !== table.dataset.table) return;
  const place = placeOf(table, kept);
  if (!place) return otherwise();
  const tab = table.querySelector(`#tab-${tabOf(place)}`);
  if (tab) open(tab);
  place.focus();
}
