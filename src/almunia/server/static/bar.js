// The bar: buttons for what the pictures do not offer and for what is proposed, and what is said of what is aimed at.

import { button } from "./button.js";
import { fitQuestion } from "./question.js";

const PROPOSED = 2; // courses that have room in the bar at a time
const PLAY = "Play it";
const ROW = 48; // pixels of the row of tabs on a phone
// How buttons stand on a phone, the first way that has room: beside the tabs as they are, or with words in several lines,
// or the first of them alone with a button that shows all, or that button alone; or above the question, once asked for.
const WAYS = [[], ["snug"], ["snug", "folded"], ["snug", "folded", "stowed"], ["above"]];
const CHOSEN = WAYS.filter((way) => !way.includes("folded")); // once something is aimed at, its button is seen
const ASKED = WAYS.filter((way) => !way.includes("stowed")); // where buttons alone answer, one of them is seen
const FEW = 2; // of those, for which a button that shows all would save no room
const LONE = [[], ["snug"], ["told"]]; // the only answer says "Play it" if its words have no room, and they stand above

export class Bar {
  constructor(board) {
    this.board = board;
    this.table = board.table;
    this.place = this.table.querySelector("#choose");
    this.lone = null; // the choice that the main button names
    this.tall = 0; // pixels of the line that says what is aimed at, at its tallest
    this.unfolded = false; // did somebody ask for all buttons?
  }

  fit() {
    fitQuestion(this.table);
    const told = this.told;
    this.ways.some((way) => {
      this.place.classList.remove("snug", "folded", "stowed", "above", "told");
      this.place.classList.add(...way);
      if (this.lone) this.place.querySelector("#play-it > span").textContent = this.told ? PLAY : this.lone.words;
      return this.hasRoom;
    });
    if (this.told !== told) this.tell(this.board.cursor);
  }

  get ways() {
    const several = this.place.querySelector(".unfold") !== null;
    if (this.lone && !several) return LONE;
    if (!several || this.unfolded || (!this.lone && this.board.cursor)) return CHOSEN;
    if (this.board.offered().length) return WAYS;
    return this.place.querySelectorAll(":scope > [data-choice]").length <= FEW ? CHOSEN : ASKED; // nothing in the pictures is lit
  }

  // Do the words of the only answer stand above its button?
  get told() {
    return this.place.classList.contains("told");
  }

  get hasRoom() {
    const { scrollWidth, clientWidth, children, classList } = this.place;
    const tall = classList.contains("snug") && [...children].some((one) => one.offsetHeight > ROW);
    return scrollWidth <= clientWidth + 1 && !tall;
  }

  // --- buttons -------------------------------------------------------------------------

  draw() {
    const { board } = this;
    this.makeWay(board.cursor);
    const clicking = board.courses.length > 0 && board.hovering !== null && !board.meant; // a click there plays it
    this.lone = board.only !== null && Object.keys(board.only.parts).length <= 1 ? board.only : null; // nothing else can be meant
    const buttons = [...this.courseButtons(clicking), ...board.choosing.parts.flatMap((part) => this.partButtons(part))];
    if (!this.lone) buttons.push(...this.bare().map((choice) => this.bareButton(choice)));
    const held = [...this.place.children].indexOf(document.activeElement);
    const folding = buttons.length ? [this.unfoldButton()] : [];
    this.place.replaceChildren(...buttons, ...folding, ...this.sheetButtons(), this.playButton(clicking));
    this.fit();
    this.place.children[held]?.focus();
  }

  // Several actions in one go, as many as have room: "Play it" has that of all but one.
  courseButtons(clicking) {
    const { courses, cursor } = this.board;
    const proposed = courses.slice(0, cursor && !clicking ? 1 : PROPOSED);
    const buttons = proposed.map((course, number) => this.courseButton(course, number === 0));
    return courses.length > proposed.length ? [...buttons, this.moreButton()] : buttons;
  }

  // Those that the pictures offer are marked there while the button is pointed at.
  courseButton(course, first) {
    const { board } = this;
    const asked = course.code === board.sure;
    const made = button(course.words, first ? "Enter" : "", () => board.playCourse(course), asked || undefined);
    made.classList.add("course");
    made.classList.toggle("primary", asked || course === board.first);
    for (const [kind, shown] of [["pointerenter", course], ["focus", course], ["pointerleave", null], ["blur", null]]) {
      made.addEventListener(kind, () => board.showCourse(shown));
    }
    return made;
  }

  // Shows the courses that had no room, for they come round or nothing else is aimed at any more.
  moreButton() {
    const { board } = this;
    const made = button("More…", "", () => {
      if (!board.cursor || board.hovering) board.propose(PROPOSED);
      board.letGo();
    });
    made.classList.add("more");
    made.title = "More proposals";
    return made;
  }

  // Shows on a phone the buttons that have no room beside the tabs.
  unfoldButton() {
    const made = button("All answers", "", () => {
      this.unfolded = true;
      this.fit();
      this.place.querySelector("button").focus({ preventScroll: true });
    });
    made.classList.add("unfold");
    return made;
  }

  // A part that turns has a button to turn it; the values of another have one each where no picture leads to them.
  partButtons(part) {
    const { board } = this;
    const values = board.choosing.values(part.name);
    if (values.length < 2) return [];
    if (part.turns) return [button(part.turns, part.keys[0]?.toUpperCase(), () => board.turn(part.name))];
    const drawn = (value) => this.table.querySelector(`[data-part="${part.name}"][data-value="${CSS.escape(value)}"]`);
    const having = board.choosing.fitting().filter((choice) => part.name in choice.parts);
    const completes = having.every((choice) => this.table.querySelector(`[data-action="${choice.action}"]`));
    const last = having.every((choice) => board.choosing.open(choice) <= (board.choosing.picked.has(part.name) ? 0 : 1));
    if ((last && completes) || values.every(drawn)) return [];
    const chosen = board.choosing.picked.get(part.name);
    return values.map((value) => button(`${part.label} ${value}`, "", () => board.pick(part.name, value), value === chosen));
  }

  // Choices that no picture shows.
  bare() {
    const offered = (action) => this.table.querySelector(`[data-action="${action}"]:not(.moves [data-action])`);
    return this.board.choosing.targets.filter((choice) => !offered(choice.action) && Object.keys(choice.parts).length <= 1);
  }

  // The arrow keys reach them like those on the pictures.
  bareButton(choice) {
    const made = button(choice.words, "", () => this.board.pressed(choice), choice === this.board.cursor);
    made.dataset.choice = choice.action;
    return made;
  }

  // The sheets in which something may be chosen, behind a button each.
  sheetButtons() {
    const sheets = [...this.table.querySelectorAll(".aside")].filter((sheet) => sheet.querySelector("[data-action]:not(.away)"));
    return sheets.map((sheet) => button(sheet.getAttribute("aria-label"), "", () => sheet.showPopover()));
  }

  playButton(clicking) {
    const { board, lone } = this;
    const made = button(lone?.words ?? PLAY, board.first ? "" : "Enter", () => board.play());
    made.id = "play-it";
    if (lone) made.dataset.choice = lone.action;
    made.classList.toggle("primary", !board.first);
    made.disabled = !board.cursor;
    made.hidden = clicking;
    return made;
  }

  // --- words ---------------------------------------------------------------------------

  tell(choice) {
    const say = this.table.querySelector("#say");
    if (!say) return; // the table is being drawn anew
    this.makeWay(choice);
    const words = this.wordsOf(choice);
    // What has the focus is read aloud by its name already, which is the same.
    say.setAttribute("aria-live", choice && document.activeElement === this.board.element(choice.action) ? "off" : "polite");
    if (say.textContent !== words) say.textContent = words;
    const asked = say.parentElement; // where one line is not enough for this, the question makes room
    asked.classList.remove("long");
    const long = say.scrollHeight > say.clientHeight + 1;
    asked.classList.toggle("long", long);
    // The line never shrinks again: a board that moves away from under the pointer cannot be aimed at.
    if (!long) this.tall = Math.max(this.tall, say.offsetHeight);
    say.style.minHeight = `${this.tall}px`;
  }

  // What is to be confirmed, and a hint, are about one choice: the words of another one stand in their place.
  makeWay(choice) {
    const [notice, hint] = ["#notice", "#hint"].map((name) => this.table.querySelector(name));
    const isOther = (action) => choice !== null && action !== undefined && action !== String(choice.action);
    notice.hidden = isOther(notice.dataset.sure);
    hint.classList.toggle("other", isOther(hint.dataset.hint));
  }

  // What is said while a choice, or nothing, is aimed at.
  wordsOf(choice) {
    const { board } = this;
    const shown = board.course ?? choice;
    if (!shown) return this.countWords();
    if (shown === this.lone && !this.told) return shown.effect; // the rest stands on its button
    const again = board.tapped && !board.course ? ". Tap again to play" : "";
    return `${shown.words}${shown.effect ? ` — ${shown.effect}` : ""}${again}`;
  }

  countWords() {
    const count = this.board.choosing.targets.length;
    if (!count) return "Choose where to start.";
    if (!this.board.choosing.picked.size) return count === 1 ? "There is one choice." : `There are ${count} choices.`;
    return count === 1 ? "There is one place for it." : `There are ${count} places for it.`;
  }
}
