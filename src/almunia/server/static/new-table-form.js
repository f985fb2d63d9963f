// Seats are filled from the first on: a seat is offered once the one before it is taken.
// A name is asked for only where another person sits. Hints are usual where one person plays.

const form = document.querySelector(".setup");
const seats = [...form.querySelectorAll(".sitter")];
const hints = form.querySelector('[name="hints"]');
const friends = form.querySelector(".friends"); // what matters only where others come by link
const PEOPLE = ["me", "here", "friend"];

let chosen = form.querySelector(".wrong") !== null; // have hints been thought of?

function draw() {
  let taken = true;
  for (const seat of seats) {
    const select = seat.querySelector("select");
    seat.hidden = !taken;
    if (!taken) select.value = "nobody";
    seat.querySelector("input").hidden = !["here", "friend"].includes(select.value);
    taken = taken && select.value !== "nobody";
  }
  const people = seats.filter((seat) => PEOPLE.includes(seat.querySelector("select").value));
  const clocked = form.elements.clock.value !== "";
  form.querySelector(".clocked").hidden = !clocked;
  form.querySelector(".unclocked").hidden = clocked;
  friends.hidden = !people.some((seat) => seat.querySelector("select").value === "friend");
  if (!chosen) hints.checked = people.length < 2;
}

form.addEventListener("change", (event) => {
  chosen ||= event.target === hints;
  draw();
});
draw();
