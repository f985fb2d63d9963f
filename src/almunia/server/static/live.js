// Follows a table: the stream says what has been seen, and the page fetches what it does not show yet.

export function follow(table, notice) {
  const stream = new EventSource(`${table}/stream`);
  let latest = null; // what the stream said and the page has not been compared with

  function compare() {
    const room = document.querySelector("#room");
    if (latest === null || document.querySelector(".htmx-request")) return; // an answer is on its way
    const behind = room.dataset.mark !== latest;
    latest = null;
    if (behind) window.htmx.ajax("GET", table, { target: "#room", swap: "morph:outerHTML", source: "#room" });
  }

  stream.onmessage = (event) => {
    notice("");
    latest = event.data;
    compare();
  };
  stream.onerror = () => {
    if (stream.readyState !== EventSource.OPEN) notice("The line to the table is down. Trying again.");
  };
  document.addEventListener("htmx:afterSettle", () => window.setTimeout(compare));
  window.addEventListener("pagehide", () => stream.close());
}
