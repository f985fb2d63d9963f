// Seats are filled from the first on: a seat is offered once the one before it is taken.

const form = document.querySelector(".setup");
const seats = [...form.querySelectorAll(".sitter")];

function draw() {
  let taken = true;
  for (const seat of seats) {
    const select = seat.querySelector("select");
    seat.hidden = !taken;
    if (!taken) select.value = "nobody";
    taken = taken && select.value !== "nobody";
  }
}

form.addEventListener("change", draw);
draw();
