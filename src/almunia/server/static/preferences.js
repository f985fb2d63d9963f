// The preferences: what is chosen counts at once, and how it sounds is heard before it is chosen.

import { sound } from "./sound.js";

const form = document.querySelector(".preferences");
const saved = document.querySelector("#saved");
const listen = document.querySelector("#listen");
let saving = Promise.resolve(); // one after the other: what was chosen last is what is kept

// The page as it is now shows the look: on its root, and in the buttons at its top.
function showLook(page) {
  for (const { name, value } of page.documentElement.attributes) document.documentElement.setAttribute(name, value);
  for (const part of [".top", 'meta[name="color-scheme"]']) {
    document.querySelector(part).replaceWith(page.querySelector(part));
  }
}

async function save() {
  try {
    const answer = await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
    if (!answer.ok) throw new Error(answer.statusText);
    showLook(new DOMParser().parseFromString(await answer.text(), "text/html"));
    saved.textContent = "Saved.";
  } catch {
    saved.textContent = "Not saved: there is no connection. Please choose again.";
  }
}

form.addEventListener("change", () => {
  saved.textContent = "";
  saving = saving.then(save);
});
const zone = form.querySelector("[data-own]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || zone.value;
listen.hidden = false;
listen.addEventListener("click", () => sound(form.elements.sound.value));
