// Choosing on the pictures. Knows no game; the pictures carry data- attributes. `bar.js` draws the bar, `keys.js` listens to
// the keyboard.

import { askRoom } from "./ask.js";
import { Bar } from "./bar.js";
import { Choosing, coursesOf, offeredBy } from "./choosing.js";
import { Ghosts } from "./ghosts.js";
import { toldApart, withLetters } from "./heard.js";
import { Keys, nearest } from "./keys.js";
import { isTelling } from "./lesson.js";
import { Loupe } from "./loupe.js";
import { isSending } from "./sent.js";
import { pointTabs } from "./table-view.js";
import { Turner } from "./turner.js";
import { endWhy, explain } from "./why.js";

export class Board {
  constructor(table) {
    const form = table.querySelector("#choices");
    const parts = JSON.parse(form.dataset.parts);
    this.table = table;
    this.choosing = new Choosing(offeredBy(form, parts), parts);
    this.ghosts = new Ghosts(table.dataset.table, table.dataset.mark);
    this.loupe = new Loupe(table);
    this.courses = coursesOf(form);
    this.course = null; // the one of them that is pointed at
    this.sure = table.querySelector("#notice").dataset.sure ?? null; // what is to be confirmed: an action, or a course
    this.propose(this.courses.findIndex((course) => course.code === this.sure));
    this.meant = this.reach(this.sure); // the choice that was pressed
    this.hinted = this.reach(table.querySelector("#hint").dataset.hint); // the choice that was hinted at
    this.cursor = this.pinned; // the choice that is aimed at, and would be played
    this.hovering = null; // the element under the mouse that the cursor follows
    this.tapped = false; // was it a finger that aimed?
    this.byAction = new Map(this.choosing.choices.map((choice) => [choice.action, choice]));
    this.bar = new Bar(this);
    this.keys = new Keys(this);
    this.turner = new Turner(this);
    this.listen();
    this.draw();
    this.showHinted();
  }

  // What is aimed at while the mouse is over nothing, and no lesson is telling something that is to be read first.
  get pinned() {
    if (isTelling()) return null;
    return this.meant ?? this.hinted ?? this.only;
  }

  // What a hint means lies perhaps beyond what is seen of the board, while its button is lit.
  showHinted() {
    if (!this.hinted || this.cursor !== this.hinted) return;
    this.element(this.hinted.action)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // The choice of an action, after what has to be picked before it; null if it is not offered.
  reach(action) {
    const found = this.choosing.choices.find((choice) => String(choice.action) === action) ?? null;
    for (const [name, value] of Object.entries(found?.parts ?? {}).slice(0, -1)) this.choosing.pick(name, value);
    return found;
  }

  // The choice that is meant where there is no other, nor more to be done in one go.
  get only() {
    const { choices } = this.choosing;
    return choices.length === 1 && !this.courses.length ? choices[0] : null;
  }

  // The course that Enter plays, as long as nothing else is aimed at.
  get first() {
    if (this.cursor) return null;
    return this.courses.find((course) => course.code === this.sure) ?? this.courses[0] ?? null;
  }

  // --- drawing -----------------------------------------------------------------------

  // Is somebody at work here, who would lose the place if what has the focus were hidden?
  get working() {
    return this.table.contains(document.activeElement);
  }

  draw(working = this.working) {
    this.drawTargets();
    this.drawParts();
    pointTabs(this.table, this.offered(), this.choosing.picked.size > 0);
    this.loupe.fit(isTelling() ? [] : this.onTheBoard());
    this.bar.draw();
    this.bar.tell(this.cursor);
    this.ghosts.show(this.cursor?.action ?? null);
    const waiting = this.choosing.targets.map((choice) => choice.action);
    window.clearTimeout(this.later);
    this.later = window.setTimeout(() => this.ghosts.prepare(waiting), 150);
    if (working) this.holdFocus();
  }

  // A place or a button that is gone has no focus any more.
  holdFocus() {
    const held = document.activeElement;
    if (!this.table.contains(held) || held.matches("svg .away")) this.takeFocus();
  }

  // What is aimed at takes the focus, or else the main picture.
  takeFocus() {
    const picture = this.table.querySelector("#board svg");
    picture.setAttribute("tabindex", "-1");
    const next = (this.cursor && this.element(this.cursor.action)) ?? this.answer ?? picture;
    next.focus({ preventScroll: true });
  }

  // The button in the bar that goes on where nothing in the pictures does.
  get answer() {
    return this.offered().length ? null : this.table.querySelector("#choose > :is([data-choice], .course):enabled");
  }

  drawTargets() {
    const targets = new Set(this.choosing.targets.map((choice) => choice.action));
    if (this.cursor && !targets.has(this.cursor.action)) this.cursor = null;
    let entry = this.cursor?.action ?? null;
    for (const element of this.table.querySelectorAll("[data-action]")) {
      const action = Number(element.dataset.action);
      const shown = targets.has(action);
      if (shown) entry ??= action;
      element.classList.toggle("away", !shown);
      element.classList.toggle("aimed", action === this.cursor?.action);
      element.classList.toggle("chosen", Boolean(this.course?.actions.includes(action)));
      if (shown) {
        element.setAttribute("role", "button");
        element.setAttribute("tabindex", action === entry ? "0" : "-1");
      } else {
        for (const name of ["role", "aria-label", "tabindex"]) element.removeAttribute(name);
      }
    }
    this.nameTargets();
  }

  // What each target does, as whoever does not see where it lies hears it.
  nameTargets() {
    const elements = [...this.table.querySelectorAll("svg [data-action]:not(.away)")];
    const choices = elements.map((element) => this.byAction.get(Number(element.dataset.action)));
    const said = choices.map(({ words, effect }) => [words, effect].filter(Boolean).join(": "));
    const names = toldApart(said.map((name, number) => withLetters(name, elements[number])));
    for (const [number, element] of elements.entries()) {
      element.setAttribute("aria-label", names[number]);
      const drawn = element.querySelector(":scope > title"); // says "seat 2" where the page knows a name
      if (drawn) drawn.textContent = said[number];
    }
  }

  drawParts() {
    for (const name of [...this.table.classList]) if (name.startsWith("chosen-")) this.table.classList.remove(name);
    for (const [name, value] of this.choosing.picked) {
      if (/^[\w-]+$/.test(value)) this.table.classList.add(`chosen-${name}-${value}`);
    }
    const elements = [...this.table.querySelectorAll("[data-part]")];
    const names = toldApart(elements.map((element) => this.nameOf(element)));
    for (const [number, element] of elements.entries()) {
      const { part, value } = element.dataset;
      const chosen = [[part, value], ...before(element)].every(([name, wanted]) => this.choosing.picked.get(name) === wanted);
      element.classList.toggle("chosen", chosen);
      element.setAttribute("role", "button");
      element.setAttribute("tabindex", "0");
      element.setAttribute("aria-label", names[number]);
      element.setAttribute("aria-pressed", String(chosen));
    }
  }

  // What a part is called.
  nameOf({ dataset: { part, value, name } }) {
    return name ?? `${this.choosing.parts.find((known) => known.name === part)?.label ?? part} ${value}`;
  }

  // The courses from this one on are those that the bar has room for; the others come round behind them.
  propose(from) {
    if (from >= 0) this.courses = [...this.courses.slice(from), ...this.courses.slice(0, from)];
  }

  showCourse(course) {
    this.course = course;
    this.drawTargets();
    this.bar.tell(this.cursor);
  }

  // What may be chosen on pictures: whole actions, or where there is none yet, parts of one.
  offered() {
    const whole = [...this.table.querySelectorAll("svg [data-action]:not(.away)")];
    return whole.length ? whole : [...this.table.querySelectorAll("svg [data-part]")];
  }

  // What is offered on the main picture, with the points that it brings at once.
  onTheBoard() {
    const gain = (element) => this.byAction.get(Number(element.dataset.action)).gain;
    return [...this.table.querySelectorAll("#board svg [data-action]:not(.away)")].map((element) => ({ element, gain: gain(element) }));
  }

  // --- doing -------------------------------------------------------------------------

  pick(name, value) {
    const turning = this.choosing.turning;
    if (this.choosing.picked.get(name) === value && turning && turning.name !== name) return this.turn(turning.name);
    this.keepingPlace(() => this.choosing.pick(name, value));
  }

  // A part as a picture shows it, with the parts before it that it belongs to.
  pickDrawn(element) {
    const wanted = before(element);
    if (!wanted.length) return this.pick(element.dataset.part, element.dataset.value);
    this.keepingPlace(() => {
      for (const [name, value] of [...wanted, [element.dataset.part, element.dataset.value]]) this.choosing.pick(name, value);
    });
  }

  turn(name, step = 1) {
    this.keepingPlace(() => this.choosing.turn(name, step));
  }

  // After another turn of the card the ghost stays where it was, as nearly as can be.
  keepingPlace(change) {
    const from = this.cursor && this.middle(this.cursor.action);
    const { working } = this;
    this.cursor = this.hovering = this.meant = null;
    change();
    this.drawTargets();
    if (from) this.cursor = nearest(this, from);
    const [only, ...more] = this.choosing.targets;
    if (only && !more.length && !this.choosing.open(only)) this.cursor = only; // nothing of it is left to choose
    this.draw(working);
  }

  aim(choice, tapped = false, hovering = null) {
    this.cursor = choice;
    this.hovering = hovering;
    this.tapped = tapped;
    this.draw();
  }

  // A press does it; a finger says first what it means, and so does everybody who wants to confirm each move.
  pressed(choice, finger = false) {
    const meant = this.table.dataset.confirm === "always" ? this.meant : finger ? this.cursor : choice;
    this.meant = choice;
    if (choice !== this.cursor) this.aim(choice, finger);
    if (choice === meant) this.play();
  }

  letGo() {
    this.forgetDoubt();
    this.hinted = this.course = null;
    this.cursor = this.only;
    this.hovering = null;
    this.choosing.letGo();
    this.draw();
  }

  play() {
    if (!this.cursor) return;
    const { action } = this.cursor;
    const confirmed = this.table.dataset.confirm === "always" || this.tapped || String(action) === this.sure;
    this.send({ action }, confirmed);
  }

  playCourse(course) {
    this.send({ course: course.code }, course.code === this.sure);
  }

  // The site knows whether this guest wants to confirm what has not been confirmed here.
  send(chosen, confirmed) {
    if (isSending()) return;
    for (const sheet of this.table.querySelectorAll(".aside:popover-open")) sheet.hidePopover();
    const { seat, seen, table } = this.table.dataset;
    askRoom("POST", `${table}/act`, { ...chosen, seat, seen, sure: confirmed ? 1 : 0 });
  }

  // Whoever aims at something else by a key, or comes to it, does not mean what was to be confirmed any more.
  aimByKey(choice) {
    if (this.sure !== null && String(choice.action) !== this.sure) this.forgetDoubt();
    if (choice !== this.cursor) this.aim(choice);
  }

  // Nothing is to be confirmed any more.
  forgetDoubt() {
    if (this.sure !== null) this.table.querySelector("#notice").textContent = "";
    this.sure = this.meant = null;
  }

  // --- where things are ----------------------------------------------------------------

  middle(action) {
    const box = this.element(action)?.getBoundingClientRect();
    return box?.width && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  element(action) {
    return this.table.querySelector(`svg [data-action="${action}"], #choose [data-choice="${action}"]`);
  }

  // --- listening -----------------------------------------------------------------------

  // One listener for each kind of event, gone with the board it belongs to.
  listen() {
    this.ears = new AbortController();
    const on = (kind, act, more = {}) => this.table.addEventListener(kind, act, { signal: this.ears.signal, ...more });
    on("click", (event) => this.clicked(event));
    on("lesson", () => this.aim(this.pinned));
    // Moves alone count: a page drawn anew under a mouse at rest aims at nothing.
    on("pointermove", (event) => event.pointerType === "mouse" && this.hovered(event.target.closest("svg [data-action]:not(.away)")));
    on("pointerleave", (event) => event.pointerType === "mouse" && this.hovered(null));
    on("focusin", (event) => this.focused(event.target.closest("svg [data-action]")));
    on("wheel", (event) => this.turner.wheeled(event), { passive: false });
    on("touchmove", (event) => this.turner.twisted(event), { passive: false });
    on("touchend", () => this.turner.rest());
    window.addEventListener("resize", () => this.bar.fit(), { signal: this.ears.signal });
  }

  leave() {
    this.ears.abort();
    window.clearTimeout(this.later);
    this.ghosts.end();
    this.loupe.end();
    endWhy();
    this.forget();
  }

  // Pictures that stay on the page bear no trace of what was chosen before.
  forget() {
    for (const element of this.table.querySelectorAll("[data-action], [data-part]")) {
      element.classList.remove("away", "aimed", "chosen");
      for (const name of ["role", "aria-label", "tabindex", "aria-pressed"]) element.removeAttribute(name);
    }
  }

  clicked(event) {
    const target = event.target.closest("svg [data-action]:not(.away)");
    const part = event.target.closest("[data-part]");
    endWhy();
    if (target) {
      this.pressed(this.byAction.get(Number(target.dataset.action)), event.pointerType === "touch");
    } else if (part) {
      this.pickDrawn(part);
    } else if (this.table.dataset.why !== undefined && !event.defaultPrevented && !event.target.closest(".theirs")) {
      const picture = event.target.closest("[data-panel]")?.querySelector(":scope > svg");
      if (picture) explain(this.table, picture, event, this.choosing.picked);
    }
  }

  // What the mouse is over is meant, until it leaves.
  hovered(element) {
    if (element === this.hovering) return;
    this.aim(element ? this.byAction.get(Number(element.dataset.action)) : this.pinned, false, element);
  }

  focused(element) {
    if (!element || !element.matches(":focus-visible")) return;
    const choice = this.byAction.get(Number(element.dataset.action));
    if (choice) this.aimByKey(choice);
  }
}

// The parts that a part in a picture belongs to, as its attributes `data-of-...` say.
function before(element) {
  const named = element.getAttributeNames().filter((name) => name.startsWith("data-of-"));
  return named.map((name) => [name.slice("data-of-".length), element.getAttribute(name)]);
}
