// The lobby: fetches its open games when the stream sends another version.
// <main> publishes the state of the page: data-stream is "open" or "closed", and data-settled is present while the page
// shows the version that the stream sent last.

import { onChatVersion, startChat } from "./chat.js";
import { onInvitationsVersion, showWaiting } from "./site.js";

const RECONNECT_MS = 10_000; // after a stream that was refused

const main = document.querySelector("#main");
let version = null; // the last one that the open stream sent
let stream = null;

// Return the titles of the games that others offer, by their ids.
function othersGames() {
  const games = [...document.querySelectorAll("#open [id^='offer-']:not(.mine)")];
  return new Map(games.map((game) => [game.id, game.querySelector("h3").textContent]));
}

const titlesMissing = (from, within) => [...from].filter(([id]) => !within.has(id)).map(([, title]) => title);

// Replace the open games, announce the difference to screen readers, and keep the focus near a game that has gone.
function showGames(open, html) {
  const [before, hadFocus] = [othersGames(), open.contains(document.activeElement)];
  window.Idiomorph.morph(open, html);
  const now = othersGames();
  const [added, removed] = [titlesMissing(now, before), titlesMissing(before, now)];
  const words = [added.length && `New open game: ${added.join(", ")}`, removed.length && `No longer open: ${removed.join(", ")}`];
  if (added.length || removed.length) document.querySelector("#open-said").textContent = words.filter(Boolean).join(". ");
  if (hadFocus && document.activeElement === document.body) document.querySelector("#open-heading").focus();
}

function publish() {
  main.dataset.stream = stream.readyState === EventSource.OPEN ? "open" : "closed";
  main.toggleAttribute("data-settled", document.querySelector("#open").dataset.mark === version);
}

async function fetchGames(wanted) {
  const open = document.querySelector("#open");
  if (open.dataset.mark === wanted) return;
  try {
    const answer = await fetch("/lobby", { headers: { "HX-Request": "true" }, cache: "no-store" });
    const html = await answer.text();
    if (answer.ok && wanted === version) showGames(open, html); // otherwise a later request is on its way
  } catch {
    // no connection: the stream sends the version again when it reconnects
  }
}

function connect() {
  stream = new EventSource("/lobby/stream");
  version = null;
  publish();
  stream.onopen = publish;
  stream.onmessage = async (event) => {
    version = event.data;
    publish();
    await fetchGames(version);
    publish();
  };
  stream.addEventListener("chat", (event) => onChatVersion(event.data));
  stream.addEventListener("invited", (event) => onInvitationsVersion(event.data));
  stream.addEventListener("waiting", (event) => showWaiting(Number(event.data)));
  stream.onerror = () => {
    version = null;
    publish();
    if (stream.readyState === EventSource.CLOSED) window.setTimeout(connect, RECONNECT_MS);
  };
}

startChat();
connect();
window.addEventListener("pagehide", () => stream.close());
window.addEventListener("pageshow", (event) => event.persisted && connect());
