// Asks the site for the room, and puts its answer in the place of the one that is shown.

export async function askRoom(method, address, values = {}) {
  try {
    await window.htmx.ajax(method, address, { target: "#room", swap: "morph:outerHTML", source: "#room", values });
  } catch {
    // no answer came: whoever listens to htmx:sendError has been told
  }
}
