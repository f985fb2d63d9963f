// Follows a table: the stream says what has been seen, and the page fetches what it does not show yet.

export function follow(table, notice) {
  const stream = new EventSource(`${table}/stream`);
  let asking = false;
  stream.onmessage = async (event) => {
    notice("");
    const room = document.querySelector("#room");
    if (asking || room.dataset.mark === event.data) return;
    asking = true;
    try {
      await window.htmx.ajax("GET", table, { target: "#room", swap: "morph:outerHTML", source: "#room" });
    } finally {
      asking = false;
    }
  };
  stream.onerror = () => {
    if (stream.readyState !== EventSource.OPEN) notice("The line to the table is down. Trying again.");
  };
  window.addEventListener("pagehide", () => stream.close());
}
