// Invitations to play again: fetched whenever the stream says that they are others. What is still there stays as it is,
// and with it the focus.

const AGAIN = 10_000; // milliseconds before a line that was refused is tried again
const place = document.querySelector("#invited");

const rowsOf = (within) => new Map([...within.querySelectorAll(".invited")].map((row) => [row.id, row]));

function show(text) {
  const held = place.contains(document.activeElement);
  const fresh = new DOMParser().parseFromString(text, "text/html").querySelector("#invited");
  const [was, now] = [rowsOf(place), rowsOf(fresh)];
  if (was.size && now.size) {
    for (const [id, row] of was) if (!now.has(id)) row.remove();
    for (const [id, row] of [...now].reverse()) if (!was.has(id)) place.querySelector("section").prepend(row);
  } else {
    place.replaceChildren(...fresh.childNodes);
  }
  place.dataset.mark = fresh.dataset.mark;
  if (held && document.activeElement === document.body) goOn();
}

// Whoever was at one that has gone is at the next one, or where the page begins.
function goOn() {
  const next = place.querySelector("button") ?? document.querySelector("main");
  if (next.matches("main")) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

async function look(mark) {
  if (place.dataset.mark === mark) return;
  try {
    const answer = await fetch(place.dataset.page, { headers: { "HX-Request": "true" }, cache: "no-store" });
    if (answer.ok) show(await answer.text());
  } catch {
    // the stream says it again when the line is back
  }
}

let stream = null;

function listen() {
  stream = new EventSource("/invitations/stream");
  stream.onmessage = (event) => look(event.data);
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) window.setTimeout(listen, AGAIN);
  };
}

listen();
window.addEventListener("pagehide", () => stream.close());
window.addEventListener("pageshow", (event) => event.persisted && listen());
