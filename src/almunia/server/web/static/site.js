// What all pages share: a form is sent once, the menu closes, fields can be copied, times are local, sounds, reduced motion,
// the number of games that wait, and invitations.

// --- forms -------------------------------------------------------------------------------

const RESEND_AFTER_MS = 5000; // the answer to the first try may have been lost

const sentAt = new WeakMap(); // form: when it was sent, in milliseconds

// Prevent double submission: a double click must not open a second table or send a second mail.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return; // a script sends the form
  const elapsed = event.timeStamp - (sentAt.get(event.target) ?? -RESEND_AFTER_MS);
  if (elapsed < RESEND_AFTER_MS) event.preventDefault();
  else sentAt.set(event.target, event.timeStamp);
});
addEventListener("pageshow", (event) => {
  if (event.persisted) for (const form of document.forms) sentAt.delete(form);
});

// --- the menu ----------------------------------------------------------------------------

const menu = document.querySelector(".menu");

// Close the menu at a press elsewhere, and with Escape.
document.addEventListener("click", (event) => {
  if (!menu.contains(event.target)) menu.open = false;
});
menu.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !menu.open) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// --- clipboard ---------------------------------------------------------------------------

// Copy the field beside a button; return whether it was copied.
export async function copyField(button) {
  const field = button.parentElement.querySelector("input");
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
    return true;
  } catch {
    field.select(); // without access to the clipboard, the viewer copies by keyboard
    return false;
  }
}

for (const button of document.querySelectorAll("main.sheet .copy")) {
  button.hidden = false;
  button.addEventListener("click", () => copyField(button));
}

// --- times -------------------------------------------------------------------------------

// Show the times inside an element in the time zone and the format of the browser.
export function showLocalTimes(root) {
  for (const time of root.querySelectorAll("time")) {
    const date = new Date(time.dateTime);
    const isToday = date.toDateString() === new Date().toDateString();
    time.textContent = date.toLocaleString([], isToday ? { timeStyle: "short" } : { dateStyle: "short", timeStyle: "short" });
  }
}

// --- sounds, which are synthesized: no file is loaded ------------------------------------

let audio = null;

// Start the audio context at the first key or click: browsers play no sound before.
export function enableSounds() {
  const resume = () => {
    audio ??= new AudioContext();
    if (audio.state === "suspended") audio.resume();
  };
  for (const kind of ["pointerdown", "keydown"]) document.addEventListener(kind, resume, { capture: true, once: true });
}

// Play one tone that fades out. `pitch` and `endPitch` are in hertz, `length` in seconds.
function playTone(shape, pitch, loudness, length, endPitch = pitch) {
  const now = audio.currentTime;
  const source = new OscillatorNode(audio, { type: shape, frequency: pitch });
  const volume = new GainNode(audio, { gain: 0 });
  source.frequency.exponentialRampToValueAtTime(endPitch, now + length);
  volume.gain.linearRampToValueAtTime(loudness, now + 0.004);
  volume.gain.exponentialRampToValueAtTime(0.0001, now + length);
  source.connect(volume).connect(audio.destination);
  source.start(now);
  source.stop(now + length);
}

const SOUNDS = {
  bell() {
    playTone("sine", 880, 0.14, 1.4);
    playTone("sine", 2217, 0.05, 0.8);
    playTone("sine", 3520, 0.02, 0.4);
  },
  wood() {
    playTone("triangle", 620, 0.35, 0.12, 240);
    playTone("square", 1400, 0.05, 0.03, 700);
  },
};

// Play a sound by its name, if there is one and the viewer has touched the page.
export function playSound(name) {
  if (audio && SOUNDS[name]) SOUNDS[name]();
}

// --- motion ------------------------------------------------------------------------------

const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");

// Whether the viewer's preferences or the system ask for less motion.
export const isMotionReduced = () => reducedMotion.matches || document.documentElement.dataset.motion === "less";

// --- games that wait ---------------------------------------------------------------------

const TURN_PREFIX = "● Your turn · "; // of a title
// Whether this is the page of a table: its title and icon show whether the viewer is to move at this table.
const isTable = document.querySelector("#table[data-icon]") !== null;

// Show how many games wait for the viewer, in the header, in the title and as the icon.
export function showWaiting(count) {
  const link = document.querySelector(".turns");
  link.hidden = count === 0;
  link.querySelector("b").textContent = count;
  link.lastElementChild.textContent = count === 1 ? " game" : " games";
  if (isTable) return;
  document.title = (count ? TURN_PREFIX : "") + document.title.replace(TURN_PREFIX, "");
  const icon = document.querySelector('link[rel="icon"]');
  icon.href = count ? icon.dataset.turn : icon.dataset.usual;
}

// --- invitations -------------------------------------------------------------------------

// Invitations of friends and to rematches, on every page: fetched when a stream sends another version. Rows that stay are
// kept, and the focus with them. The streams of tables, tournaments and the lobby send the version, too.

const RECONNECT_MS = 10_000; // after a stream that was refused
const place = document.querySelector("#invited"); // null on error pages, and without access
const hasOwnStream = isTable || document.querySelector("main:is(.lobby, [data-page], [data-follows])") !== null;

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
  place.dataset.version = fresh.dataset.version;
  if (hadFocus && document.activeElement === document.body) focusNext();
}

// Focus the next invitation after one has gone, or else the start of the page.
function focusNext() {
  const next = place.querySelector("button") ?? document.querySelector("main");
  if (next.matches("main")) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

export async function onInvitationsVersion(version) {
  if (place === null || place.dataset.version === version) return;
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
  stream.onmessage = (event) => onInvitationsVersion(event.data);
  stream.addEventListener("waiting", (event) => showWaiting(Number(event.data)));
  stream.onerror = () => {
    if (stream.readyState === EventSource.CLOSED) window.setTimeout(follow, RECONNECT_MS);
  };
}

// Follow the stream while the page can be seen: a browser opens few connections to a site.
function follow() {
  stream?.close();
  if (document.visibilityState === "visible") connect();
}

if (place !== null && !hasOwnStream) {
  follow();
  document.addEventListener("visibilitychange", follow);
  addEventListener("pagehide", () => stream?.close());
  addEventListener("pageshow", (event) => event.persisted && follow());
}
