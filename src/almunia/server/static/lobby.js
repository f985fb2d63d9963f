// The lobby: what it shows is fetched whenever the stream says that it is something else.
// <main> publishes the state of the page: data-stream is "open" or "closed", and data-settled is present while the page
// shows what the stream said last, and absent while no line is open.

import { beginChat, heardOf } from "./chat.js";

const AGAIN = 10_000; // milliseconds before a line that was refused is tried again

const offers = () => new Map([...document.querySelectorAll("#open [id^='offer-']:not(.mine)")].map((one) => [one.id, one.querySelector("h3").textContent]));

// The games that only one of two maps has, by their titles.
const missing = (from, within) => [...from].filter(([id]) => !within.has(id)).map(([, title]) => title);

// What is new is said to whoever hears the page, and a focus that has gone with a game is at the head of them.
function show(open, text) {
  const [was, held] = [offers(), open.contains(document.activeElement)];
  window.Idiomorph.morph(open, text);
  const now = offers();
  const [come, gone] = [missing(now, was), missing(was, now)];
  const words = [come.length && `New open game: ${come.join(", ")}`, gone.length && `An open game has gone: ${gone.join(", ")}`];
  if (come.length || gone.length) document.querySelector("#open-said").textContent = words.filter(Boolean).join(". ");
  if (held && document.activeElement === document.body) document.querySelector("#open-heading").focus();
}

const main = document.querySelector("#main");
let latest = null; // what the line that is open said last
let stream = null;

function publish() {
  main.dataset.stream = stream.readyState === EventSource.OPEN ? "open" : "closed";
  main.toggleAttribute("data-settled", document.querySelector("#open").dataset.mark === latest);
}

async function look(mark) {
  const open = document.querySelector("#open");
  if (open.dataset.mark === mark) return;
  try {
    const answer = await fetch("/lobby", { headers: { "HX-Request": "true" }, cache: "no-store" });
    const text = await answer.text();
    if (answer.ok && mark === latest) show(open, text); // what was asked for since is newer
  } catch {
    // the stream says it again when the line is back
  }
}

function listen() {
  stream = new EventSource("/lobby/stream");
  latest = null;
  publish();
  stream.onopen = publish;
  stream.onmessage = async (event) => {
    latest = event.data;
    publish();
    await look(latest);
    publish();
  };
  stream.addEventListener("chat", (event) => heardOf(event.data));
  stream.onerror = () => {
    latest = null;
    publish();
    if (stream.readyState === EventSource.CLOSED) window.setTimeout(listen, AGAIN);
  };
}

beginChat();
listen();
window.addEventListener("pagehide", () => stream.close());
window.addEventListener("pageshow", (event) => event.persisted && listen());
