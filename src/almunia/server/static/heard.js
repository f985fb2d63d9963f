// Pieces of pictures are heard by their names, not by the bare numbers that stand on them, and alike ones are told apart.

const CHOSEN = "[data-action], [data-part]";
const COUNTS = ["", "", "two", "three", "four", "five", "six"];
const PLACES = ["first", "second", "third", "fourth", "fifth", "sixth"];

// What has a name is one thing to whoever hears it; where something in it can be chosen, that has the words.
export function nameAll(table) {
  for (const piece of table.querySelectorAll("svg g:has(> title)")) {
    if (piece.querySelector(CHOSEN)) hideLetters(piece);
    else if (!piece.closest(CHOSEN)) piece.setAttribute("role", "img");
  }
  for (const picture of table.querySelectorAll("svg[role=img]:has(g[role=img])")) if (isTold(picture)) picture.setAttribute("role", "group");
}

// Do the names of its pieces tell all that stands on a picture? Else its own name does.
function isTold(picture) {
  return [...picture.querySelectorAll("text")].every((letters) => letters.closest("g[role=img], defs"));
}

function hideLetters(piece) {
  for (const letters of piece.querySelectorAll("text")) if (!letters.closest(CHOSEN)) letters.setAttribute("aria-hidden", "true");
}

// A name with the words that can be read on a piece, where it does not have them: who sees these may say them.
export function withLetters(name, piece) {
  const written = [...piece.querySelectorAll("text")];
  for (const letters of written) if (letters.nextSibling?.nodeType !== Node.TEXT_NODE) letters.after(" "); // words stay apart
  const read = written.map((letters) => letters.textContent.trim()).join(" ").trim();
  return !/\p{L}{2}/u.test(read) || name.toLowerCase().includes(read.toLowerCase()) ? name : `${name}, ${read}`;
}

// Names in their order, with a place behind those that occur more than once: "campfire, first of two".
export function toldApart(names) {
  const many = (name, end) => names.slice(0, end).filter((other) => other === name).length;
  return names.map((name, number) => {
    const [before, count] = [many(name, number), many(name)];
    return count > 1 ? `${name}, ${PLACES[before] ?? before + 1} of ${COUNTS[count] ?? count}` : name;
  });
}
