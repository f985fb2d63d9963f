// The keyboard on the pictures: arrows go to the target nearest in a direction, numbers pick, Enter plays.

import { endWhy } from "./why.js";

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const ASIDE = 2.5; // times as far as ahead is what lies to the side

// The choice whose place is nearest to a point, as far as `cost` tells of the way there; null counts as out of the way.
export function nearest(board, from, cost = (dx, dy) => dx * dx + dy * dy) {
  const ways = board.choosing.targets.map((choice) => ({ choice, at: board.middle(choice.action) })).filter(({ at }) => at);
  const found = ways.map(({ choice, at }) => ({ choice, far: cost(at.x - from.x, at.y - from.y) })).filter(({ far }) => far !== null);
  return found.reduce((best, one) => (best && best.far <= one.far ? best : one), null)?.choice ?? null;
}

export class Keys {
  constructor(board) {
    this.board = board;
  }

  // A key that means something here; true if it was taken.
  pressed(event) {
    const { board } = this;
    const { key } = event;
    const { turning } = board.choosing;
    if (key in ARROWS) this.move(...ARROWS[key]);
    else if (turning?.keys.includes(key.toLowerCase())) board.turn(turning.name, event.shiftKey ? -1 : 1);
    else if (/^[1-9]$/.test(key) && board.choosing.first) this.pickNumber(Number(key));
    else if (key === "Enter" || (key === " " && event.target.closest("svg [data-action], [data-part]"))) return this.entered(event);
    else if (key === "Escape") endWhy() || board.letGo();
    else return false;
    return true;
  }

  // The target nearest in a direction; the one in the middle if none is aimed at yet.
  move(dx, dy) {
    const { board } = this;
    const from = board.cursor && board.middle(board.cursor.action);
    const cost = (x, y) => (x * dx + y * dy > 1 ? Math.abs(x * dx + y * dy) + ASIDE * Math.abs(x * dy - y * dx) : null);
    const picture = board.table.querySelector("#board").getBoundingClientRect();
    const middle = { x: picture.x + picture.width / 2, y: picture.y + picture.height / 2 };
    this.goTo((from ? nearest(board, from, cost) : nearest(board, middle)) ?? board.cursor);
  }

  // What has the focus is aimed at.
  goTo(choice) {
    if (!choice) return;
    const element = this.board.element(choice.action);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.board.aimByKey(choice);
  }

  pickNumber(number) {
    const { choosing } = this.board;
    const { name } = choosing.first;
    const value = choosing.values(name)[number - 1];
    if (value === undefined || choosing.picked.get(name) === value) return;
    const [only, ...more] = choosing.fitting([]).filter((choice) => choice.parts[name] === value);
    if (more.length || Object.keys(only.parts).length > 1) this.board.pick(name, value);
    else this.goTo(only); // it is a whole choice, and the others stay in sight
  }

  // Enter and the space bar press what has the focus; anywhere else Enter plays.
  entered(event) {
    const { board } = this;
    const part = event.target.closest("[data-part]");
    if (part) board.pickDrawn(part);
    else if (event.target.closest("button, a, input, select, summary")) return false;
    else if (board.cursor) board.play();
    else if (board.first) board.playCourse(board.first);
    else return false;
    return true;
  }
}
