// A closer look at the main picture, offered where what may be chosen on it is too small to be pointed at.

const SMALL = window.matchMedia("(pointer: coarse)").matches ? 30 : 18; // pixels, for a finger and for a mouse
const WANTED = 46;
const MOST = 3; // times

let near = false; // asked for once, it is meant for every choice until it is turned off

export class Zoom {
  constructor(table) {
    this.table = table;
    this.board = table.querySelector("#board");
    this.picture = this.board.querySelector("svg");
    this.times = 1;
    this.offered = false;
    this.button = document.createElement("button");
    this.button.type = "button";
    this.button.className = "zoom";
    this.button.addEventListener("click", () => this.toggle());
  }

  get near() {
    return near && this.offered;
  }

  // The targets decide, measured on the whole picture: [{element, gain}], what each would earn at once.
  fit(targets) {
    this.targets = targets;
    const sizes = targets.map(({ element }) => {
      const box = element.getBoundingClientRect();
      return Math.max(box.width, box.height) / this.times;
    });
    const least = Math.min(...sizes);
    this.offered = sizes.length > 1 && least < SMALL;
    this.wanted = Math.min(WANTED / least, MOST);
    if (!this.offered) this.button.remove();
    else if (!this.button.isConnected) this.table.querySelector("#question").append(this.button);
    if (this.near !== this.times > 1 || !this.button.title) this.draw();
  }

  toggle() {
    near = !near;
    this.draw();
  }

  draw() {
    this.times = this.near ? this.wanted : 1;
    this.button.title = this.near ? "Show the whole board" : "Look closer";
    this.button.textContent = this.near ? "\u2212" : "+";
    this.button.setAttribute("aria-label", this.button.title);
    this.board.classList.toggle("near", this.near);
    this.picture.style.width = this.near ? `${100 * this.times}%` : "";
    if (this.near) this.centre();
  }

  // In the middle lies what would earn most; among equals, what has most others around it.
  centre() {
    const frame = this.board.getBoundingClientRect();
    const places = this.targets.map(({ element, gain }) => {
      const box = element.getBoundingClientRect();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2, gain };
    });
    const around = (at) => places.filter((to) => 2 * Math.abs(to.x - at.x) < frame.width && 2 * Math.abs(to.y - at.y) < frame.height).length;
    const better = (one, other) => one.gain - other.gain || around(one) - around(other);
    const best = places.reduce((found, place) => (better(place, found) > 0 ? place : found));
    this.board.scrollBy(best.x - frame.x - frame.width / 2, best.y - frame.y - frame.height / 2);
  }

  end() {
    this.button.remove();
    this.board.classList.remove("near");
    this.picture.style.width = "";
  }
}
