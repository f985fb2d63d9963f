// Invitations to a rematch: fetched when the stream sends another version. Rows that stay are kept, and the focus with them.

const RECONNECT_MS = 10_000; // after a stream that was refused
const place = document.querySelector("#invited");

const rowsOf = (root) => new Map([...root.querySelectorAll(".invited")].map((row) => [row.id, row]));

function showInvitations(html) {
  const hadFocus = place.contains(document.activeElement);
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("#invited");
  const [before, now] = [rowsOf(place), rowsOf(fresh)];
  if (before.size && now.size) {
    for (const [id, row] of before) if (!now.has(id)) row.remove();
    for (const [id, row] of [...now].reverse()) if (!before.has(id)) place.querySelector("section").prepend(row);
  } else {
    place.replaceChildren(...fresh.childNodes);
  }
  place.dataset.mark = fresh.dataset.mark;
  if (hadFocus && document.activeElement === document.body) focusNext();
}

// Focus the next invitation after one has gone, or else the start of the page.
function focusNext() {
  const next = place.querySelector("button") ?? document.querySelector("main");
  if (next.matches("main")) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

async function fetchInvitations(version) {
  if (place.dataset.mark === version) return;
  try {
    const answer = await fetch(place.dataset.page, { headers: { "HX-Request": "true" }, cache: "no-store" });
    if (answer.ok) showInvitations(await answer.text());
  } catch {
    // no connection: the stream sends the version again when it reconnects
  }
}

let stream = null;

function connect() {
  stream = new EventSource("/invitations/stream");
  stream.onmessage = (event) => fetchInvitations(event.data);
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) window.setTimeout(connect, RECONNECT_MS);
  };
}

connect();
window.addEventListener("pagehide", () => stream.close());
window.addEventListener("pageshow", (event) => event.persisted && connect());
