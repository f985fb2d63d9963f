// Says that it is the reader's turn where the page itself may not be seen: on its tab, and by a sound.

import { sound } from "./sound.js";

let due = null; // was it the reader's turn when the table was drawn last?

export function showTurn(table) {
  const icon = document.querySelector('link[rel="icon"]');
  const { icon: address } = table.dataset;
  if (icon.getAttribute("href") !== address) icon.setAttribute("href", address);
  const now = table.dataset.due === "1";
  if (now && due === false) sound(table.dataset.sound); // others have moved, for it was not before
  due = now;
}
