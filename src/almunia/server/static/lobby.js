// The lobby: what it shows is fetched whenever the stream says that it is something else.

import { beginChat, heardOf } from "./chat.js";

const AGAIN = 10_000; // milliseconds before a line that was refused is tried again

async function look(mark) {
  const open = document.querySelector("#open");
  if (open.dataset.mark === mark) return;
  try {
    const answer = await fetch("/lobby", { headers: { "HX-Request": "true" }, cache: "no-store" });
    if (answer.ok) window.Idiomorph.morph(open, await answer.text());
  } catch {
    // the stream says it again when the line is back
  }
}

function listen() {
  const stream = new EventSource("/lobby/stream");
  stream.onmessage = (event) => look(event.data);
  stream.addEventListener("chat", (event) => heardOf(event.data));
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) window.setTimeout(listen, AGAIN);
  };
  window.addEventListener("pagehide", () => stream.close(), { once: true });
}

beginChat();
listen();
window.addEventListener("pageshow", (event) => event.persisted && listen());
