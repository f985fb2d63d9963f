// Clocks: what is left is counted down here, from when the time will be up by the clock of the site.

const DAY = 86400;
const HOUR = 3600;
let ahead = 0; // seconds by which this machine's clock is ahead of the site's

function shown(seconds) {
  const whole = Math.max(0, Math.floor(seconds));
  const two = (number) => String(number).padStart(2, "0");
  if (whole >= DAY) return `${Math.floor(whole / DAY)} d ${Math.floor((whole % DAY) / HOUR)} h`;
  if (whole >= HOUR) return `${Math.floor(whole / HOUR)}:${two(Math.floor((whole % HOUR) / 60))} h`;
  return `${Math.floor(whole / 60)}:${two(whole % 60)}`;
}

function tick() {
  for (const clock of document.querySelectorAll(".clock[data-due]")) {
    const left = Number(clock.dataset.due) - (Date.now() / 1000 - ahead);
    const words = shown(left);
    if (clock.textContent !== words) clock.textContent = words;
    clock.classList.toggle("short", left < Number(clock.dataset.short));
    if (!clock.title) clock.title = `Until ${new Date(1000 * Number(clock.dataset.due)).toLocaleString()}`;
  }
}

// What time it is at the site.
export function setClocks(now) {
  ahead = Date.now() / 1000 - now;
  tick();
}

// How long it is until a moment at the site, in milliseconds.
export const until = (moment) => 1000 * (moment + ahead) - Date.now();

export function watchClocks() {
  document.addEventListener("htmx:afterSettle", tick);
  window.setInterval(tick, 1000);
  tick();
}
