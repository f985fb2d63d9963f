// What was sent is seen to have been taken: by a pressed look at once, and by a turning pip if the answer takes its time.
// Until that has come nothing else is sent, so a second click does nothing twice.

const SLOW = 400; // milliseconds

let sending = false; // is something sent, or waiting for its turn to be sent?
let going = false; // is it on its way?
let timer = 0;

export const isSending = () => sending;

const look = (name, on) => document.querySelector("#question")?.classList.toggle(name, on);

function begin() {
  sending = true;
  look("sent", true);
  timer = window.setTimeout(() => look("slow", true), SLOW);
}

function end() {
  sending = going = false;
  window.clearTimeout(timer);
  look("sent", false);
  look("slow", false);
}

export function noteSending() {
  document.addEventListener("htmx:confirm", (event) => {
    if (event.detail.verb !== "post") return;
    if (sending) event.preventDefault();
    else begin();
  });
  document.addEventListener("htmx:beforeSend", (event) => {
    if (event.detail.requestConfig.verb === "post") going = true;
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.requestConfig.verb === "post") end();
  });
  // What waited for its turn is not sent any more if its button has gone meanwhile.
  document.addEventListener("htmx:afterSettle", () => window.setTimeout(() => !going && end()));
}
