// Asks the site for the table, and puts its answer in the place of the one that is shown. One thing is asked at a time:
// what waits in a queue of htmx is lost with the attributes of the table that an answer brings.

export const isUnderway = () => document.querySelector(".htmx-request") !== null;

const ended = () =>
  new Promise((resolve) => {
    document.addEventListener("htmx:afterRequest", () => window.setTimeout(resolve), { once: true });
  });

// Put a table that has come along with the last answer in the place of the one that is shown.
export function putRoom(text) {
  const table = document.querySelector("#table");
  table.dispatchEvent(new CustomEvent("htmx:beforeSwap", { bubbles: true }));
  window.htmx.swap(table, text, { swapStyle: "morph:outerHTML", swapDelay: 0, settleDelay: 0 }, { contextElement: table });
}

export async function askRoom(method, address, values = {}) {
  while (method === "GET" && isUnderway()) await ended(); // what is sent waits by itself, and shows at once that it does
  try {
    await window.htmx.ajax(method, address, { target: "#table", swap: "morph:outerHTML", source: "#table", values });
  } catch {
    // no answer came: whoever listens to htmx:sendError has been told
  }
}
