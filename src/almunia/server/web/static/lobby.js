// The lobby: its open games follow the stream, and so does its chat.

import { onChatVersion, startChat } from "./chat.js";
import { followPart } from "./page-stream.js";

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

startChat();
followPart("open", "/lobby", showGames, { chat: onChatVersion });
