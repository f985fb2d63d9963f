// Position as text, fetched by whoever wants to read it, and again whenever the table has changed. One request at a time.

const PLACE = "#table details.words";
let open = false;
let writing = false; // is a request on its way?
let outdated = false; // has the table changed since then?

// The element stays while the table is drawn anew, so one listener for the whole page does. A click says what the reader
// wants, and keys click too; drawing anew opens and closes the element as well.
export function watchWords() {
  document.addEventListener("click", (event) => {
    const details = event.target.closest(`${PLACE} > summary`)?.parentElement;
    if (!details) return;
    open = !details.open;
    if (open) write();
  });
}

// The table has been drawn anew.
export function inWords(table) {
  const details = table.querySelector("details.words");
  if (!details) return;
  details.open = open;
  if (open) write();
}

async function write() {
  outdated = true;
  if (writing) return;
  writing = true;
  while (open && outdated) {
    outdated = false;
    const text = await fetched(document.querySelector("#table").dataset.table);
    const place = document.querySelector(`${PLACE} > pre`);
    if (place && text !== null) place.textContent = text;
  }
  writing = false;
}

async function fetched(table) {
  try {
    const answer = await fetch(`${table}/words`);
    return answer.ok ? await answer.text() : null;
  } catch {
    return null; // the line is down: the link stays
  }
}
