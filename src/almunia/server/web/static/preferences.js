// The preferences: saves each change at once, and plays sounds before they are chosen.

import { enableSounds, playSound } from "./site.js";

const form = document.querySelector(".preferences");
const status = document.querySelector("#saved");
const listen = document.querySelector("#listen");
let saving = Promise.resolve(); // one request after another: the last choice is kept

// Copy the theme of an answer: the attributes of its root, and the buttons at its top.
function applyTheme(page) {
  for (const { name, value } of page.documentElement.attributes) document.documentElement.setAttribute(name, value);
  for (const selector of [".top", 'meta[name="color-scheme"]']) {
    document.querySelector(selector).replaceWith(page.querySelector(selector));
  }
}

async function save() {
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (!answer.ok) throw new Error(answer.statusText);
    applyTheme(new DOMParser().parseFromString(await answer.text(), "text/html"));
    status.textContent = "Saved.";
  } catch {
    status.textContent = "Not saved, because there is no connection. Please choose again.";
  }
}

form.addEventListener("change", () => {
  status.textContent = "";
  saving = saving.then(save);
});
const zone = form.querySelector("[data-own]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || zone.value;
enableSounds();
listen.hidden = false;
listen.addEventListener("click", () => playSound(form.elements.sound.value));
