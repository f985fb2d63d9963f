// Asks the site for the table, and puts its answer in the place of the one that is shown.

export async function askRoom(method, address, values = {}) {
  try {
    await window.htmx.ajax(method, address, { target: "#table", swap: "morph:outerHTML", source: "#table", values });
  } catch {
    // no answer came: whoever listens to htmx:sendError has been told
  }
}
