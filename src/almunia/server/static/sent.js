// What was sent is seen to have been taken: by a pressed look at once, and by a turning pip if the answer takes its time.
// Until that has come nothing else is sent, so a second click does nothing twice. What is pressed while the page fetches
// something waits for that: htmx has a queue, but forgets it when the table that it belongs to is drawn anew.

import { askRoom, isUnderway } from "./ask.js";

const SLOW = 400; // milliseconds

let sending = false; // is something sent, or waiting to be sent?
let waiting = null; // what asks for the thing that was pressed last, as it was when it was pressed
let timer = 0;

export const isSending = () => sending;

const look = (name, on) => document.querySelector("#question")?.classList.toggle(name, on);

function begin() {
  sending = true;
  look("sent", true);
  window.clearTimeout(timer);
  timer = window.setTimeout(() => look("slow", true), SLOW);
}

function end() {
  sending = false;
  window.clearTimeout(timer);
  look("sent", false);
  look("slow", false);
}

function confirm(event) {
  const { verb, path, elt, etc, triggeringEvent } = event.detail;
  const post = verb === "post";
  if (!post && elt.id === "table") return; // the page asks by itself, and asks again if need be
  if (sending) return event.preventDefault();
  if (post) begin();
  if (!isUnderway()) return;
  event.preventDefault();
  const values = etc.values ?? (post ? Object.fromEntries(new FormData(elt, triggeringEvent.submitter)) : {});
  waiting = () => askRoom(verb.toUpperCase(), path, values);
}

function goOn() {
  if (!waiting || isUnderway()) return;
  const ask = waiting;
  waiting = null;
  sending = false;
  ask();
}

export function noteSending() {
  document.addEventListener("htmx:confirm", confirm);
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig.verb === "post") end();
    window.setTimeout(goOn); // behind what else this answer sets going
  });
}
