// Position as text, fetched by whoever wants to read it, and again whenever the table has changed.

let open = false;

export function inWords(table) {
  const details = table.querySelector("details.words");
  if (!details) return;
  details.open = open;
  details.addEventListener("toggle", () => {
    open = details.open;
    if (open) write(details, table.dataset.table);
  });
  if (open) write(details, table.dataset.table);
}

async function write(details, table) {
  const place = details.querySelector("pre");
  try {
    const answer = await fetch(`${table}/words`);
    if (answer.ok) place.textContent = await answer.text();
  } catch {
    // the line is down: the link stays
  }
}
