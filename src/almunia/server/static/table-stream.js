// Follows a table: the stream says what has been seen, and the page fetches what it does not show yet.
// A line that is down, or silent for too long, is opened anew after growing pauses, for ever.
// <main> publishes the state of the page: data-stream is "open" or "closed", and data-settled is the version shown,
// which is absent while the page sends, fetches, shows others' moves, waits for a scoring that will lie over the table,
// or does not know that the stream says the same.

import { askRoom, isUnderway } from "./ask.js";
import { heardOf } from "./chat.js";
import { setClocks, until as soon } from "./clocks.js";
import { isFollowing, nextMoment } from "./following.js";
import { isScoringDue } from "./scoring.js";

const PAUSES = [1, 2, 5, 10, 30]; // seconds before the first try, the second, and so on
const SILENCE = 40; // seconds without a sign of life, which comes every fifteen, after which a line counts as down
const HIDDEN = 5; // seconds until the site hears that nobody sees the page, and may send alerts
const UNREACHED = "The site cannot be reached.";
const FAILED = "Something went wrong at the site.";
const LOST = "Your move may or may not have been played; checking…";

const pause = (failures) => 1000 * PAUSES[Math.min(failures, PAUSES.length - 1)];

export function follow(table, notice) {
  let stream = null;
  let failures = 0;
  let heard = Date.now();
  let waiting = 0; // the timer of the next try
  let latest = null; // what the stream said last
  let silent = true; // has the line that is open said nothing yet, or is none open?
  let again = null; // what it said of the game that the same people go on with
  let unsure = false; // has the page not been compared with it since?
  let blind = false; // did an answer not come, so that nobody knows how the table stands?
  let tries = 0; // to see again, since then
  let looking = 0; // the timer of the next one
  let unseen = false; // does the site know that nobody sees this page?
  let hiding = 0; // the timer until it does

  const isBehind = ({ mark, again: shown }) => mark !== latest || (again !== null && (shown ?? "") !== again);

  function publish() {
    const { dataset } = document.querySelector("#table");
    dataset.stream = stream?.readyState === EventSource.OPEN && !waiting ? "open" : "closed";
    if (silent || blind || isUnderway() || isScoringDue() || isBehind(dataset)) delete dataset.settled; // a moment that is followed is behind
    else dataset.settled = latest;
  }

  function compare() {
    if (!(unsure || blind) || isUnderway()) return; // an answer is on its way
    if (isFollowing() && !blind) return; // it comes to how things stand by itself
    unsure = false;
    const { dataset } = document.querySelector("#table");
    if (blind || isBehind(dataset)) askRoom("GET", (!blind && nextMoment(latest)) || table);
  }

  // What was sent may have been done although no answer came, or none from the site itself: the page looks until it sees.
  function unanswered(event, reason) {
    if (event.detail.requestConfig.verb !== "get") notice(`${reason} ${LOST}`);
    else if (!blind) notice(`${reason} Trying again…`);
    blind = true;
    window.clearTimeout(looking);
    looking = window.setTimeout(compare, pause(tries));
    tries += 1;
  }

  function seen() {
    blind = false;
    tries = 0;
    window.clearTimeout(looking);
    window.setTimeout(compare);
  }

  function alive() {
    heard = Date.now();
    unsure = latest !== null; // at every sign of life, for the last answer may never have come
    compare();
  }

  function open() {
    window.clearTimeout(waiting);
    waiting = 0;
    silent = true;
    stream?.close();
    heard = Date.now();
    unseen = document.visibilityState === "hidden";
    stream = new EventSource(`${table}/stream${unseen ? "?hidden=1" : ""}`);
    stream.onopen = () => {
      if (!blind && failures) notice(""); // what the site itself says stays
      failures = 0;
      publish();
    };
    stream.onmessage = (event) => {
      latest = event.data;
      silent = false;
      alive();
      publish();
    };
    stream.addEventListener("alive", alive);
    stream.addEventListener("chat", (event) => heardOf(event.data));
    stream.addEventListener("again", (event) => {
      again = event.data;
      alive();
      publish();
    });
    stream.addEventListener("time", (event) => {
      setClocks(Number(event.data));
      lookAgain();
    });
    stream.onerror = lost;
    publish();
  }

  function lost() {
    if (waiting) return;
    silent = true;
    stream?.close();
    if (!blind) notice("Connection lost. Reconnecting…");
    waiting = window.setTimeout(open, pause(failures));
    failures += 1;
    publish();
  }

  function close() {
    window.clearTimeout(waiting);
    waiting = 0;
    stream?.close();
    stream = null;
  }

  // After a night's sleep the line is dead, and nobody has said so.
  function look() {
    if (stream && !waiting && Date.now() - heard > 1000 * SILENCE) lost();
  }

  function turned() {
    window.clearTimeout(hiding);
    if (document.visibilityState === "visible") back();
    else hiding = window.setTimeout(() => stream && !waiting && open(), 1000 * HIDDEN);
  }

  function back() {
    if (waiting || (stream && unseen)) open();
    else look();
    compare();
  }

  // When somebody has been away for long enough, those who wait may do something about it.
  let later = 0;
  function lookAgain() {
    window.clearTimeout(later);
    const { until } = document.querySelector("#table").dataset;
    if (until) later = window.setTimeout(() => askRoom("GET", table), Math.max(15_000, soon(Number(until)) + 500));
  }

  document.addEventListener("htmx:beforeSend", publish);
  document.addEventListener("scoring", publish);
  document.addEventListener("htmx:afterRequest", () => window.setTimeout(publish)); // behind what the answer sets going
  document.addEventListener("htmx:afterSettle", lookAgain);
  document.addEventListener("htmx:afterSettle", seen);
  document.addEventListener("htmx:afterSettle", () => window.setTimeout(publish)); // what has come along is asked for by nobody
  document.addEventListener("htmx:sendError", (event) => unanswered(event, UNREACHED));
  document.addEventListener("htmx:responseError", (event) => event.detail.xhr.status >= 500 && unanswered(event, FAILED));
  document.addEventListener("visibilitychange", turned);
  window.addEventListener("online", back);
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => event.persisted && open());
  window.setInterval(look, 5000);
  lookAgain();
  open();
}
