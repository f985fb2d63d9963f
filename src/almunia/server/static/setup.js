// Seats are filled from the first on: a seat is offered once the one before it is taken.
// A name is asked for only where another person at this screen sits.

const form = document.querySelector(".setup");
const seats = [...form.querySelectorAll(".sitter")];

function draw() {
  let taken = true;
  for (const seat of seats) {
    const select = seat.querySelector("select");
    seat.hidden = !taken;
    if (!taken) select.value = "nobody";
    seat.querySelector("input").hidden = select.value !== "here";
    taken = taken && select.value !== "nobody";
  }
}

form.addEventListener("change", draw);
draw();
