// The analysis of a finished game, which is loaded again while it is being made.

const REFRESH_MS = 1500;

async function refresh() {
  const section = document.querySelector("#analysis[data-refresh]");
  if (!section || document.hidden) return;
  try {
    const answer = await fetch(section.dataset.refresh);
    const html = await answer.text();
    if (answer.status === 200 && section.isConnected) section.outerHTML = html;
  } catch {
    // no connection: the next refresh tries again
  }
}

// Let a click on the chart, or the Enter key, lead to the position in the replay.
export function leadToReplay() {
  const lead = (event) => {
    if (event.target.matches(".over-chart .scrubber")) event.target.form.requestSubmit();
  };
  document.addEventListener("pointerup", lead);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter") lead(event);
  });
}

export function watchAnalysis() {
  window.setInterval(refresh, REFRESH_MS);
  refresh();
}
