// Turns a piece by the wheel of the mouse, or by two fingers.

const WHEEL_REST = 180; // milliseconds between two turns of the wheel
const TWIST = 30; // degrees that two fingers turn before the piece does

export class Turner {
  constructor(board) {
    this.board = board;
    this.turned = 0; // when the wheel last turned it
    this.angle = null; // of the two fingers when it turned last, or when they came
  }

  wheeled(event) {
    const part = this.board.choosing.turning;
    const meant = event.target.closest("[data-part]") || (this.board.cursor && event.target.closest("#board"));
    if (!part || event.ctrlKey || !meant) return; // anywhere else the page scrolls
    event.preventDefault();
    if (event.timeStamp - this.turned < WHEEL_REST) return;
    this.turned = event.timeStamp;
    this.board.turn(part.name, event.deltaY < 0 ? -1 : 1);
  }

  twisted(event) {
    const part = this.board.choosing.turning;
    if (!part || event.touches.length !== 2) return;
    const [one, two] = event.touches;
    const angle = (Math.atan2(two.clientY - one.clientY, two.clientX - one.clientX) * 180) / Math.PI;
    this.angle ??= angle;
    const turned = ((angle - this.angle + 540) % 360) - 180;
    if (Math.abs(turned) < TWIST) return;
    event.preventDefault();
    this.angle = angle;
    this.board.turn(part.name, turned < 0 ? -1 : 1);
  }

  // The fingers are gone.
  rest() {
    this.angle = null;
  }
}
