// Whoever clicks twice on the button of a form asks once: a second game, table or mail is nothing anybody wants.
// A form that a script sends for itself is its own affair.

const LONG = 5000; // ms after which a form may be sent again on the same page: its answer may have been lost

const sent = new WeakMap();

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  if (event.timeStamp - (sent.get(event.target) ?? -LONG) < LONG) event.preventDefault();
  else sent.set(event.target, event.timeStamp);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of document.forms) sent.delete(form);
});
