// Times of day as the reader's own clock shows them.

export function ownTimes(inside) {
  for (const time of inside.querySelectorAll("time")) {
    const then = new Date(time.dateTime);
    const today = then.toDateString() === new Date().toDateString();
    time.textContent = then.toLocaleString([], today ? { timeStyle: "short" } : { dateStyle: "short", timeStyle: "short" });
  }
}
