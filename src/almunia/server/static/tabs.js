// The tabs of a narrow page: a new question opens the one that it is about, and a dot marks those with something to choose.

let here = null; // the tab that was open when the table was drawn anew
let asked = null; // and the decision it was open for, if there was one

const decision = (table) => table.querySelector(".question.yours") && table.dataset.seen;
const chosen = (table) => table.querySelector('.room > [name="tab"]:checked');

export function leaveTabs(table) {
  here = chosen(table)?.value ?? null;
  asked = decision(table);
}

// Whoever reads stays where they are, until a question is theirs.
export function openTab(table) {
  const anew = decision(table) && decision(table) !== asked;
  const input = table.querySelector(anew || !here ? '.room > [name="tab"][checked]' : `#tab-${here}`);
  if (input) input.checked = true;
}

const LEAST = 24; // pixels of what a finger can choose

// These may be chosen now; with `go` their tab opens, unless one of them is in reach already.
export function pointTabs(table, elements, go) {
  const tabs = [...new Set(elements.map(tabOf).filter(Boolean))];
  const meant = tabs.length && table.querySelector(`#tab-${tabs[0]}`);
  if (go && meant && !elements.some(inReach)) meant.checked = true;
  for (const label of table.querySelectorAll(".tabs label")) {
    label.classList.toggle("due", tabs.includes(label.dataset.tab) && label.dataset.tab !== chosen(table)?.value);
  }
}

function inReach(element) {
  const box = element.getBoundingClientRect();
  return Math.max(box.width, box.height) >= LEAST;
}

export function tabOf(element) {
  const names = element.closest(".pane, .seats")?.classList ?? [];
  return [...names].find((name) => name.startsWith("in-"))?.slice("in-".length);
}
