// The form of a new table: offers a seat once the one before it is taken, asks for a name only where another person sits,
// and proposes hints for one player.

const form = document.querySelector(".setup");
const seats = [...form.querySelectorAll(".sitter")];
const hints = form.querySelector('[name="hints"]');
const friends = form.querySelectorAll(".friends"); // options for players who join by a link
const PEOPLE = ["me", "here", "friend"];

let hasChosenHints = form.querySelector(".wrong") !== null; // by hand, or before an error

function update() {
  let isTaken = true;
  for (const seat of seats) {
    const select = seat.querySelector("select");
    seat.hidden = !isTaken;
    if (!isTaken) select.value = "nobody";
    seat.querySelector("input").hidden = !["here", "friend"].includes(select.value);
    isTaken = isTaken && select.value !== "nobody";
  }
  const people = seats.filter((seat) => PEOPLE.includes(seat.querySelector("select").value));
  const hasClock = form.elements.clock.value !== "";
  form.querySelector(".clocked").hidden = !hasClock;
  form.querySelector(".unclocked").hidden = hasClock;
  const hasFriends = people.some((seat) => seat.querySelector("select").value === "friend");
  for (const part of friends) part.hidden = !hasFriends;
  if (!hasChosenHints) hints.checked = people.length < 2;
}

form.addEventListener("change", (event) => {
  hasChosenHints ||= event.target === hints;
  update();
});
update();
