// A part of a page that follows an event stream: it is fetched again when the stream sends another version.
// The part has the version that it shows in data-mark. <main> publishes the state of the page: data-stream is "open" or
// "closed", and data-settled is present while the page shows the version that the stream sent last.

import { onInvitationsVersion, showWaiting } from "./site.js";

const RECONNECT_MS = 10_000; // after a stream that was refused

// Follow `${page}/stream`. `show` gets the element with the id `part` and its new HTML; `listeners` get further events.
export function followPart(part, page, show, listeners = {}) {
  const main = document.querySelector("#main");
  const element = () => document.getElementById(part);
  let version = null; // the last one that the open stream sent
  let stream = null;

  function publish() {
    main.dataset.stream = stream.readyState === EventSource.OPEN ? "open" : "closed";
    main.toggleAttribute("data-settled", element().dataset.mark === version);
  }

  async function fetchPart(wanted) {
    if (element().dataset.mark === wanted) return;
    try {
      const answer = await fetch(page, { headers: { "HX-Request": "true" }, cache: "no-store" });
      const html = await answer.text();
      if (answer.ok && wanted === version) show(element(), html); // otherwise a later request is on its way
    } catch {
      // no connection: the stream sends the version again when it reconnects
    }
  }

  function connect() {
    stream = new EventSource(`${page}/stream`);
    version = null;
    publish();
    stream.onopen = publish;
    stream.onmessage = async (event) => {
      version = event.data;
      publish();
      await fetchPart(version);
      publish();
    };
    stream.addEventListener("invited", (event) => onInvitationsVersion(event.data));
    stream.addEventListener("waiting", (event) => showWaiting(Number(event.data)));
    for (const [name, listener] of Object.entries(listeners)) stream.addEventListener(name, (event) => listener(event.data));
    stream.onerror = () => {
      version = null;
      publish();
      if (stream.readyState === EventSource.CLOSED) window.setTimeout(connect, RECONNECT_MS);
    };
  }

  connect();
  window.addEventListener("pagehide", () => stream.close());
  window.addEventListener("pageshow", (event) => event.persisted && connect());
}
