// Choosing a move on the pictures, by mouse, touch and keyboard, and in the question bar. It knows no game: the pictures
// carry data- attributes.

import { redrawHighlights } from "./table-stream.js";
import {
  MIN_TEXT_PX,
  fitQuestion,
  hideTooltip,
  holdMove,
  isMovePending,
  markTabs,
  moveOnHold,
  nameWithTexts,
  numberDuplicates,
  requestTable,
  sendHeldMove,
  tabOf,
  takeBack,
  textSizes,
} from "./table-view.js";

// Whether a step of the lesson has to be read before anything is chosen.
export const isLessonTelling = () => document.querySelector("#lesson.telling") !== null;

// --- input -------------------------------------------------------------------------------

export class MoveInput {
  constructor(table) {
    const form = table.querySelector("#choices");
    const parts = JSON.parse(form.dataset.parts);
    this.table = table;
    this.model = new ChoiceModel(readChoices(form, parts), parts);
    this.previews = new Previews(table.dataset.table, table.dataset.mark);
    this.zoom = new BoardZoom(table);
    this.macroMoves = readMacroMoves(form);
    this.shownMacro = null; // the macro move whose button is hovered or focused
    this.unconfirmed = this.hold() ?? table.querySelector("#notice").dataset.sure ?? null; // an action, or the code of a macro move
    this.rotateMacros(this.macroMoves.findIndex((macro) => macro.code === this.unconfirmed));
    this.pressedChoice = this.selectChoice(this.unconfirmed);
    this.hintedChoice = this.selectChoice(table.querySelector("#hint").dataset.hint);
    this.cursor = this.defaultChoice; // the choice that Enter plays
    this.hoveredElement = null; // the element under the mouse, if the cursor follows it
    this.isTouch = false; // a finger has set the cursor
    this.choicesByAction = new Map(this.model.choices.map((choice) => [choice.action, choice]));
    this.bar = new QuestionBar(this);
    this.keyboard = new KeyboardInput(this);
    this.rotation = new PieceRotation(this);
    this.listen();
    this.draw();
    this.scrollToHint();
  }

  // The cursor while the mouse is over nothing; null while a step of the lesson has to be read.
  get defaultChoice() {
    if (isLessonTelling()) return null;
    return this.pressedChoice ?? this.hintedChoice ?? this.onlyChoice;
  }

  // Hold the move that the site has asked the page to hold, or the one that is held already; return its code, or null. A
  // question that has changed meanwhile does not wait: the site says whether the move is still possible.
  hold() {
    const { wait, sure } = this.table.querySelector("#notice").dataset;
    const { seat, seen, table } = this.table.dataset;
    if (wait !== undefined && !moveOnHold()) {
      const move = sure.includes(",") ? { course: sure } : { action: sure };
      holdMove(sure, `${table}/move`, { ...move, seat, seen, sure }, Number(wait));
    }
    const held = moveOnHold();
    if (held && (held.values.seen !== seen || held.values.seat !== seat)) sendHeldMove();
    return moveOnHold()?.code ?? null;
  }

  // Scroll to the choice of a hint, which may be outside the visible part of the board.
  scrollToHint() {
    if (!this.hintedChoice || this.cursor !== this.hintedChoice) return;
    this.elementOf(this.hintedChoice.action)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // Return the choice of an action after selecting all its parts but the last; null if the action is not offered.
  selectChoice(action) {
    const choice = this.model.choices.find((candidate) => String(candidate.action) === action) ?? null;
    for (const [name, value] of Object.entries(choice?.parts ?? {}).slice(0, -1)) this.model.select(name, value);
    return choice;
  }

  // The only choice; null if there are others, or macro moves.
  get onlyChoice() {
    const { choices } = this.model;
    return choices.length === 1 && !this.macroMoves.length ? choices[0] : null;
  }

  // The macro move that Enter plays; null if there is a cursor.
  get defaultMacro() {
    if (this.cursor) return null;
    return this.macroMoves.find((macro) => macro.code === this.unconfirmed) ?? this.macroMoves[0] ?? null;
  }

  // --- drawing ---

  get hasFocus() {
    return this.table.contains(document.activeElement);
  }

  draw(hadFocus = this.hasFocus) {
    this.drawTargets();
    this.drawParts();
    markTabs(this.table, this.choosableElements(), this.model.selection.size > 0);
    this.zoom.fit(isLessonTelling() ? [] : this.boardTargets());
    this.bar.draw();
    this.bar.describe(this.cursor);
    this.previews.show(this.cursor?.action ?? null);
    const actions = this.model.targets.map((choice) => choice.action);
    window.clearTimeout(this.prefetchTimer);
    this.prefetchTimer = window.setTimeout(() => this.previews.prefetch(actions), PREFETCH_DELAY_MS);
    if (hadFocus) this.keepFocus();
  }

  // Move the focus if its element has gone or is hidden.
  keepFocus() {
    const focused = document.activeElement;
    if (!this.table.contains(focused) || focused.matches("svg .away")) this.takeFocus();
  }

  // Focus the cursor, or else the answer button, or the main picture.
  takeFocus() {
    const picture = this.table.querySelector("#board svg");
    picture.setAttribute("tabindex", "-1");
    const target = (this.cursor && this.elementOf(this.cursor.action)) ?? this.answerButton ?? picture;
    target.focus({ preventScroll: true });
  }

  // The first button of the bar, if nothing in the pictures can be chosen.
  get answerButton() {
    return this.choosableElements().length ? null : this.table.querySelector("#choose > :is([data-choice], .course):enabled");
  }

  drawTargets() {
    const targets = new Set(this.model.targets.map((choice) => choice.action));
    if (this.cursor && !targets.has(this.cursor.action)) this.cursor = null;
    let tabStop = this.cursor?.action ?? null;
    for (const element of this.table.querySelectorAll("[data-action]")) {
      const action = Number(element.dataset.action);
      const isTarget = targets.has(action);
      if (isTarget) tabStop ??= action;
      element.classList.toggle("away", !isTarget);
      element.classList.toggle("aimed", action === this.cursor?.action);
      element.classList.toggle("chosen", Boolean(this.shownMacro?.actions.includes(action)));
      if (isTarget) {
        element.setAttribute("role", "button");
        element.setAttribute("tabindex", action === tabStop ? "0" : "-1");
      } else {
        for (const name of ["role", "aria-label", "tabindex"]) element.removeAttribute(name);
      }
    }
    this.nameTargets();
  }

  // Name each target for screen readers by what it does.
  nameTargets() {
    const elements = [...this.table.querySelectorAll("svg [data-action]:not(.away)")];
    const choices = elements.map((element) => this.choicesByAction.get(Number(element.dataset.action)));
    const titles = choices.map(({ words, effect }) => [words, effect].filter(Boolean).join(": "));
    const names = numberDuplicates(titles.map((title, index) => nameWithTexts(title, elements[index])));
    for (const [index, element] of elements.entries()) {
      element.setAttribute("aria-label", names[index]);
      const title = element.querySelector(":scope > title"); // says "seat 2" where the page knows a name
      if (title) title.textContent = titles[index];
    }
  }

  drawParts() {
    for (const name of [...this.table.classList]) if (name.startsWith("chosen-")) this.table.classList.remove(name);
    for (const [name, value] of this.model.selection) {
      if (/^[\w-]+$/.test(value)) this.table.classList.add(`chosen-${name}-${value}`);
    }
    const elements = [...this.table.querySelectorAll("[data-part]")];
    const names = numberDuplicates(elements.map((element) => this.nameOfPart(element)));
    for (const [index, element] of elements.entries()) {
      const { part, value } = element.dataset;
      const isSelected = [[part, value], ...parentParts(element)].every(([name, wanted]) => this.model.selection.get(name) === wanted);
      element.classList.toggle("chosen", isSelected);
      element.setAttribute("role", "button");
      element.setAttribute("tabindex", "0");
      element.setAttribute("aria-label", names[index]);
      element.setAttribute("aria-pressed", String(isSelected));
    }
  }

  nameOfPart({ dataset: { part, value, name } }) {
    return name ?? `${this.model.parts.find((candidate) => candidate.name === part)?.label ?? part} ${value}`;
  }

  // Put the macro moves from this index on first: the bar shows the first ones.
  rotateMacros(start) {
    if (start >= 0) this.macroMoves = [...this.macroMoves.slice(start), ...this.macroMoves.slice(0, start)];
  }

  showMacro(macro) {
    this.shownMacro = macro;
    this.drawTargets();
    this.bar.describe(this.cursor);
  }

  // Return what can be chosen on pictures: whole actions, or else parts of one.
  choosableElements() {
    const actions = [...this.table.querySelectorAll("svg [data-action]:not(.away)")];
    return actions.length ? actions : [...this.table.querySelectorAll("svg [data-part]")];
  }

  // Return the targets on the main picture, with the points that each brings at once.
  boardTargets() {
    const gainOf = (element) => this.choicesByAction.get(Number(element.dataset.action)).gain;
    const elements = [...this.table.querySelectorAll("#board svg [data-action]:not(.away)")];
    return elements.map((element) => ({ element, gain: gainOf(element) }));
  }

  // --- acting ---

  selectPart(name, value) {
    const rotating = this.model.rotatingPart;
    if (this.model.selection.get(name) === value && rotating && rotating.name !== name) return this.rotate(rotating.name);
    this.changeInPlace(() => this.model.select(name, value));
  }

  // Select the part of an element, and the parts that it belongs to.
  selectPartElement(element) {
    const parents = parentParts(element);
    if (!parents.length) return this.selectPart(element.dataset.part, element.dataset.value);
    this.changeInPlace(() => {
      for (const [name, value] of [...parents, [element.dataset.part, element.dataset.value]]) this.model.select(name, value);
    });
  }

  rotate(name, step = 1) {
    this.changeInPlace(() => this.model.rotate(name, step));
  }

  // Change the selection, and move the cursor to the nearest target: a rotated piece stays where it was.
  changeInPlace(change) {
    const from = this.cursor && this.centreOf(this.cursor.action);
    const { hasFocus } = this;
    this.cursor = this.hoveredElement = this.pressedChoice = null;
    change();
    this.drawTargets();
    if (from) this.cursor = nearestChoice(this, from);
    const [only, ...others] = this.model.targets;
    if (only && !others.length && !this.model.countOpenParts(only)) this.cursor = only; // nothing is left to choose
    this.draw(hasFocus);
  }

  setCursor(choice, isTouch = false, hoveredElement = null) {
    this.cursor = choice;
    this.hoveredElement = hoveredElement;
    this.isTouch = isTouch;
    this.draw();
  }

  // Play a choice that is pressed. The first tap, and the first press of a player who confirms each move, only selects it.
  press(choice, isTouch = false) {
    const expected = this.table.dataset.confirm === "always" ? this.pressedChoice : isTouch ? this.cursor : choice;
    this.pressedChoice = choice;
    if (choice !== this.cursor) this.setCursor(choice, isTouch);
    if (choice === expected) this.play();
  }

  playHeldMove() {
    if (moveOnHold() && !isMovePending()) sendHeldMove();
  }

  // Drop the selection.
  cancel() {
    this.dropConfirmation();
    this.hintedChoice = this.shownMacro = null;
    this.cursor = this.onlyChoice;
    this.hoveredElement = null;
    this.model.clear();
    this.draw();
  }

  play() {
    if (!this.cursor) return;
    const { action } = this.cursor;
    const { confirm } = this.table.dataset;
    const isPressedTwice = confirm === "always" || (this.isTouch && confirm !== "wait");
    this.send({ action }, String(action) === this.unconfirmed ? action : Number(isPressedTwice));
  }

  playMacro(macro) {
    this.send({ course: macro.code }, macro.code === this.unconfirmed ? macro.code : 0);
  }

  // Send a move. `sure` is the move itself if its notice was confirmed, 1 if it was pressed twice, and else 0.
  send(move, sure) {
    if (isMovePending()) return;
    if (moveOnHold()?.code === (move.course ?? String(move.action))) return this.playHeldMove();
    for (const sheet of this.table.querySelectorAll(".aside:popover-open")) sheet.hidePopover();
    const { seat, seen, table } = this.table.dataset;
    requestTable("POST", `${table}/move`, { ...move, seat, seen, sure });
  }

  // Set the cursor by a key or the focus. Another choice than the unconfirmed one drops the confirmation.
  setCursorByKey(choice) {
    if (this.unconfirmed !== null && String(choice.action) !== this.unconfirmed) this.dropConfirmation();
    if (choice !== this.cursor) this.setCursor(choice);
  }

  dropConfirmation() {
    const notice = this.table.querySelector("#notice");
    takeBack();
    if (this.unconfirmed !== null) notice.textContent = "";
    for (const name of ["sure", "wait"]) delete notice.dataset[name];
    this.unconfirmed = this.pressedChoice = null;
  }

  // --- elements ---

  centreOf(action) {
    const box = this.elementOf(action)?.getBoundingClientRect();
    return box?.width && { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  elementOf(action) {
    return this.table.querySelector(`svg [data-action="${action}"], #choose [data-choice="${action}"]`);
  }

  // --- events ---

  listen() {
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    const on = (kind, handle, options = {}) => this.table.addEventListener(kind, handle, { signal, ...options });
    const targetAt = (event) => event.target.closest("svg [data-action]:not(.away)");
    on("click", (event) => this.onClick(event));
    on("lesson", () => this.setCursor(this.defaultChoice));
    // No pointerover: a page that is drawn again under a resting mouse must not move the cursor.
    on("pointermove", (event) => event.pointerType === "mouse" && this.onHover(targetAt(event)));
    on("pointerleave", (event) => event.pointerType === "mouse" && this.onHover(null));
    on("focusin", (event) => this.onFocus(event.target.closest("svg [data-action]")));
    on("wheel", (event) => this.rotation.onWheel(event), { passive: false });
    on("touchmove", (event) => this.rotation.onTouchMove(event), { passive: false });
    on("touchend", () => this.rotation.onTouchEnd());
    window.addEventListener("resize", () => this.bar.fit(), { signal });
  }

  end() {
    this.listeners.abort();
    window.clearTimeout(this.prefetchTimer);
    this.previews.end();
    this.zoom.end();
    hideExplanation();
    this.clearMarkup();
  }

  // Remove the marks of this selection from pictures that stay on the page.
  clearMarkup() {
    for (const element of this.table.querySelectorAll("[data-action], [data-part]")) {
      element.classList.remove("away", "aimed", "chosen");
      for (const name of ["role", "aria-label", "tabindex", "aria-pressed"]) element.removeAttribute(name);
    }
  }

  onClick(event) {
    const target = event.target.closest("svg [data-action]:not(.away)");
    const part = event.target.closest("[data-part]");
    hideExplanation();
    if (target) {
      this.press(this.choicesByAction.get(Number(target.dataset.action)), event.pointerType === "touch");
    } else if (part) {
      this.selectPartElement(part);
    } else if (this.table.dataset.why !== undefined && !event.defaultPrevented && !event.target.closest(".theirs")) {
      const picture = event.target.closest("[data-panel]")?.querySelector(":scope > svg");
      if (picture) explainIllegal(this.table, picture, event, this.model.selection);
    }
  }

  onHover(element) {
    if (element === this.hoveredElement) return;
    const choice = element ? this.choicesByAction.get(Number(element.dataset.action)) : this.defaultChoice;
    this.setCursor(choice, false, element);
  }

  onFocus(element) {
    if (!element || !element.matches(":focus-visible")) return;
    const choice = this.choicesByAction.get(Number(element.dataset.action));
    if (choice) this.setCursorByKey(choice);
  }
}

// Return the parts that a part in a picture belongs to (`data-of-...`), as [name, value].
function parentParts(element) {
  const names = element.getAttributeNames().filter((name) => name.startsWith("data-of-"));
  return names.map((name) => [name.slice("data-of-".length), element.getAttribute(name)]);
}

// --- choices -----------------------------------------------------------------------------

// Return the choices that a form has buttons for: [{action, words, effect, gain, parts}].
function readChoices(form, parts) {
  const partsOf = (button) => parts.map(({ name }) => [name, button.getAttribute(`data-of-${name}`)]).filter(([, value]) => value !== null);
  return [...form.querySelectorAll("button[name=action]")].map((button) => ({
    action: Number(button.value),
    words: button.firstChild?.textContent.trim() ?? "",
    effect: button.querySelector("small")?.textContent ?? "",
    gain: Number(button.dataset.gain ?? 0),
    parts: Object.fromEntries(partsOf(button)),
  }));
}

// Return the macro moves of a form, each of several actions: [{code, actions, words, effect}].
function readMacroMoves(form) {
  return [...form.querySelectorAll("button[name=course]")].map((button) => ({
    code: button.value,
    actions: button.value.split(",").map(Number),
    words: button.firstChild?.textContent.trim() ?? "",
    effect: button.querySelector("small")?.textContent ?? "",
  }));
}

const mostGain = (choices) => choices.reduce((best, choice) => (choice.gain > best.gain ? choice : best));

// The choices, narrowed down by selecting their parts one by one.
class ChoiceModel {
  // parts: [{name, label, turns, keys}] in their order; `turns` is the label of a button, if the part can be rotated
  constructor(choices, parts) {
    this.choices = choices;
    this.parts = parts.filter((part) => choices.some((choice) => part.name in choice.parts));
    this.selection = new Map(); // part name: value
    this.selectDefaults();
  }

  // Return the choices that match the selected values of these parts (of all parts, by default).
  matching(names = [...this.selection.keys()]) {
    const matches = (choice, name) => !this.selection.has(name) || choice.parts[name] === this.selection.get(name);
    return this.choices.filter((choice) => names.every((name) => matches(choice, name)));
  }

  // Return the values that a part can have, given the parts before it.
  valuesOf(name) {
    const before = this.parts.slice(0, this.parts.findIndex((part) => part.name === name)).map((part) => part.name);
    return [...new Set(this.matching(before).map((choice) => choice.parts[name]).filter((value) => value !== undefined))];
  }

  // Select a value of a part. Selected values that do not match it are dropped, those of later parts first.
  select(name, value) {
    const isChange = this.selection.has(name) && this.selection.get(name) !== value;
    for (const part of this.parts) if (isChange && part.turns && part.name !== name) this.selection.delete(part.name); // back to its default
    this.selection.set(name, value);
    for (const part of [...this.parts].reverse()) {
      if (part.name !== name && this.matching().length === 0) this.selection.delete(part.name);
    }
    this.selectDefaults();
  }

  clear() {
    this.selection.clear();
    this.selectDefaults();
  }

  // Select the next value of a part that can be rotated.
  rotate(name, step = 1) {
    const values = this.valuesOf(name);
    if (values.length < 2) return;
    this.select(name, values[(values.indexOf(this.selection.get(name)) + step + values.length) % values.length]);
  }

  // Select a value of each part but the last, as long as all matching choices have the part: the first value, or for a
  // part that can be rotated the value with the largest gain.
  selectDefaults() {
    for (const part of this.parts) {
      if (this.selection.has(part.name)) continue;
      const choices = this.matching();
      if (!choices.length || !choices.every((choice) => part.name in choice.parts)) return;
      const isLast = !choices.every((choice) => this.countOpenParts(choice) > 1);
      if (!isLast) this.selection.set(part.name, part.turns ? mostGain(choices).parts[part.name] : this.valuesOf(part.name)[0]);
    }
  }

  countOpenParts(choice) {
    return Object.keys(choice.parts).filter((name) => !this.selection.has(name)).length;
  }

  // The choices that one more click completes.
  get targets() {
    return this.matching().filter((choice) => this.countOpenParts(choice) <= 1);
  }

  // The first part that has several values and can't be rotated.
  get firstPart() {
    return this.parts.find((part) => !part.turns && this.valuesOf(part.name).length > 1);
  }

  get rotatingPart() {
    return this.parts.find((part) => part.turns && this.valuesOf(part.name).length > 1);
  }
}

// --- question bar ------------------------------------------------------------------------

// The bar has buttons for what the pictures do not offer and for macro moves, and describes the cursor.

const MAX_MACROS = 2; // that the bar shows at a time
const PLAY = "Play it";
const PLAY_NOW = "Play now";
const HELD = "Your move is played in a moment. It can’t be undone later.";
const TABS_HEIGHT_PX = 48; // of the tabs on a phone
// Classes that fit the buttons on a phone; the first layout that has room is used: beside the tabs, in several lines, only
// the first button and one that shows all, only that one, or above the question.
const LAYOUTS = [[], ["snug"], ["snug", "folded"], ["snug", "folded", "stowed"], ["above"]];
const CURSOR_LAYOUTS = LAYOUTS.filter((layout) => !layout.includes("folded")); // with a cursor, its button stays visible
const ANSWER_LAYOUTS = LAYOUTS.filter((layout) => !layout.includes("stowed")); // without targets, one button stays visible
const FEW_ANSWERS = 2; // for which a button that shows all would save no room
const SINGLE_LAYOUTS = [[], ["snug"], ["told"]]; // "told": the button says "Play it", and its words stand above

function createButton(words, key, act, isPressed) {
  const button = document.createElement("button");
  button.type = "button";
  const label = document.createElement("span");
  label.textContent = words;
  button.append(label);
  if (key) {
    const hint = document.createElement("kbd");
    hint.textContent = key;
    button.append(" ", hint);
  }
  if (isPressed !== undefined) button.setAttribute("aria-pressed", String(isPressed));
  button.addEventListener("click", (event) => {
    event.stopPropagation();
    act();
  });
  return button;
}

class QuestionBar {
  constructor(input) {
    this.input = input;
    this.table = input.table;
    this.element = this.table.querySelector("#choose");
    this.singleChoice = null; // the choice that the main button names
    this.maxHeight = 0; // pixels of the description, at its tallest
    this.isUnfolded = false; // the player wants to see all buttons
  }

  fit() {
    fitQuestion(this.table);
    const { isTold } = this;
    this.layouts.some((layout) => {
      this.element.classList.remove("snug", "folded", "stowed", "above", "told");
      this.element.classList.add(...layout);
      const label = this.isTold ? PLAY : this.singleChoice?.words;
      if (this.singleChoice) this.element.querySelector("#play-it > span").textContent = label;
      return this.hasRoom;
    });
    if (this.isTold !== isTold) this.describe(this.input.cursor);
  }

  get layouts() {
    const isSeveral = this.element.querySelector(".unfold") !== null;
    if (this.singleChoice && !isSeveral) return SINGLE_LAYOUTS;
    if (!isSeveral || this.isUnfolded || (!this.singleChoice && this.input.cursor)) return CURSOR_LAYOUTS;
    if (this.input.choosableElements().length) return LAYOUTS;
    return this.element.querySelectorAll(":scope > [data-choice]").length <= FEW_ANSWERS ? CURSOR_LAYOUTS : ANSWER_LAYOUTS;
  }

  // Whether the words of the only choice stand above its button.
  get isTold() {
    return this.element.classList.contains("told");
  }

  get hasRoom() {
    const { scrollWidth, clientWidth, children, classList } = this.element;
    const isTall = classList.contains("snug") && [...children].some((child) => child.offsetHeight > TABS_HEIGHT_PX);
    return scrollWidth <= clientWidth + 1 && !isTall;
  }

  // --- buttons ---

  draw() {
    const { input } = this;
    this.hideOtherNotices(input.cursor);
    if (moveOnHold()) return this.drawHold();
    // A click on the hovered target plays it: "Play it" leaves its room to a macro move.
    const playsByClick = input.macroMoves.length > 0 && input.hoveredElement !== null && !input.pressedChoice;
    const isSingle = input.onlyChoice !== null && Object.keys(input.onlyChoice.parts).length <= 1;
    this.singleChoice = isSingle ? input.onlyChoice : null;
    const buttons = [...this.macroButtons(playsByClick), ...input.model.parts.flatMap((part) => this.partButtons(part))];
    if (!this.singleChoice) buttons.push(...this.undrawnChoices().map((choice) => this.choiceButton(choice)));
    const focusedIndex = [...this.element.children].indexOf(document.activeElement);
    const unfold = buttons.length ? [this.unfoldButton()] : [];
    this.element.replaceChildren(...buttons, ...unfold, ...this.sheetButtons(), this.playButton(playsByClick));
    this.fit();
    this.element.children[focusedIndex]?.focus();
  }

  // Show for how long the held move can be taken back, with buttons to do that and to play it at once.
  drawHold() {
    const { input } = this;
    const notice = this.table.querySelector("#notice");
    if (this.element.querySelector("#take-back")) return; // keeps its focus
    this.singleChoice = null;
    if (notice.textContent !== HELD) notice.textContent = HELD;
    const back = createButton("Take back", "Esc", () => input.cancel());
    back.id = "take-back";
    back.style.setProperty("--left", `${Math.max(0, moveOnHold().endsAt - Date.now())}ms`);
    const play = createButton(PLAY_NOW, "Enter", () => input.playHeldMove());
    play.id = "play-it";
    play.classList.add("primary");
    this.element.replaceChildren(back, play);
    this.fit();
  }

  // Return buttons for the macro moves; with a cursor for one only, since "Play it" needs the room.
  macroButtons(playsByClick) {
    const { macroMoves, cursor } = this.input;
    const shown = macroMoves.slice(0, cursor && !playsByClick ? 1 : MAX_MACROS);
    const buttons = shown.map((macro, index) => this.macroButton(macro, index === 0));
    return macroMoves.length > shown.length ? [...buttons, this.moreButton()] : buttons;
  }

  macroButton(macro, isFirst) {
    const { input } = this;
    const isUnconfirmed = macro.code === input.unconfirmed;
    const button = createButton(macro.words, isFirst ? "Enter" : "", () => input.playMacro(macro), isUnconfirmed || undefined);
    button.classList.add("course");
    button.classList.toggle("primary", isUnconfirmed || macro === input.defaultMacro);
    // The pictures mark its actions while the button is hovered or focused.
    for (const [kind, shown] of [["pointerenter", macro], ["focus", macro], ["pointerleave", null], ["blur", null]]) {
      button.addEventListener(kind, () => input.showMacro(shown));
    }
    return button;
  }

  // Return a button that shows the next macro moves, or those that a cursor hides.
  moreButton() {
    const { input } = this;
    const button = createButton("More…", "", () => {
      if (!input.cursor || input.hoveredElement) input.rotateMacros(MAX_MACROS);
      input.cancel();
    });
    button.classList.add("more");
    button.title = "More suggestions";
    return button;
  }

  // Return a button that shows all buttons on a phone.
  unfoldButton() {
    const button = createButton("All choices", "", () => {
      this.isUnfolded = true;
      this.fit();
      this.element.querySelector("button").focus({ preventScroll: true });
    });
    button.classList.add("unfold");
    return button;
  }

  // Return a button to rotate a part, or a button for each of its values if the pictures do not offer them.
  partButtons(part) {
    const { input } = this;
    const values = input.model.valuesOf(part.name);
    if (values.length < 2) return [];
    if (part.turns) return [createButton(part.turns, part.keys[0]?.toUpperCase(), () => input.rotate(part.name))];
    const isDrawn = (value) => this.table.querySelector(`[data-part="${part.name}"][data-value="${CSS.escape(value)}"]`);
    const choices = input.model.matching().filter((choice) => part.name in choice.parts);
    const areDrawn = choices.every((choice) => this.table.querySelector(`[data-action="${choice.action}"]`));
    const maxOpen = input.model.selection.has(part.name) ? 0 : 1;
    const isLast = choices.every((choice) => input.model.countOpenParts(choice) <= maxOpen);
    if ((isLast && areDrawn) || values.every(isDrawn)) return [];
    const selected = input.model.selection.get(part.name);
    return values.map((value) => createButton(`${part.label} ${value}`, "", () => input.selectPart(part.name, value), value === selected));
  }

  // Return the targets that no picture shows.
  undrawnChoices() {
    const isDrawn = (action) => this.table.querySelector(`[data-action="${action}"]:not(.moves [data-action])`);
    return this.input.model.targets.filter((choice) => !isDrawn(choice.action) && Object.keys(choice.parts).length <= 1);
  }

  // Return a button for a choice. The arrow keys reach it like a target in a picture.
  choiceButton(choice) {
    const button = createButton(choice.words, "", () => this.input.press(choice), choice === this.input.cursor);
    button.dataset.choice = choice.action;
    return button;
  }

  // Return a button for each sheet in which something can be chosen.
  sheetButtons() {
    const isColumn = (sheet) => sheet.checkVisibility() && !sheet.matches(":popover-open");
    const sheets = [...this.table.querySelectorAll(".aside")].filter((sheet) => sheet.querySelector("[data-action]:not(.away)") && !isColumn(sheet));
    return sheets.map((sheet) => createButton(sheet.getAttribute("aria-label"), "", () => sheet.showPopover()));
  }

  playButton(isHidden) {
    const { input, singleChoice } = this;
    const button = createButton(singleChoice?.words ?? PLAY, input.defaultMacro ? "" : "Enter", () => input.play());
    button.id = "play-it";
    if (singleChoice) button.dataset.choice = singleChoice.action;
    button.classList.toggle("primary", !input.defaultMacro);
    button.disabled = !input.cursor;
    button.hidden = isHidden;
    return button;
  }

  // --- description ---

  describe(choice) {
    const say = this.table.querySelector("#say");
    if (!say) return; // the table is being drawn again
    this.hideOtherNotices(choice);
    const words = this.descriptionOf(choice);
    // Screen readers have just read the same words as the name of the focused element.
    say.setAttribute("aria-live", choice && document.activeElement === this.input.elementOf(choice.action) ? "off" : "polite");
    if (say.textContent !== words) say.textContent = words;
    const asked = say.parentElement; // the question makes room for a second line
    asked.classList.remove("long");
    const isLong = say.scrollHeight > say.clientHeight + 1;
    asked.classList.toggle("long", isLong);
    // Never shrink: the board would move away under the pointer.
    if (!isLong) this.maxHeight = Math.max(this.maxHeight, say.offsetHeight);
    say.style.minHeight = `${this.maxHeight}px`;
  }

  // Hide a confirmation and a hint about another choice than the cursor.
  hideOtherNotices(choice) {
    const [notice, hint] = ["#notice", "#hint"].map((selector) => this.table.querySelector(selector));
    const isOther = (action) => choice !== null && action !== undefined && action !== String(choice.action);
    notice.hidden = !moveOnHold() && isOther(notice.dataset.sure);
    hint.classList.toggle("other", isOther(hint.dataset.hint));
  }

  descriptionOf(choice) {
    const { input } = this;
    const shown = input.shownMacro ?? choice;
    if (!shown) return this.countDescription();
    if (shown === this.singleChoice && !this.isTold) return shown.effect; // its button says the rest
    const again = input.isTouch && !input.shownMacro ? ". Tap again to play" : "";
    return `${shown.words}${shown.effect ? ` — ${shown.effect}` : ""}${again}`;
  }

  countDescription() {
    const { model } = this.input;
    const count = model.targets.length;
    if (!count) return "Choose where to start.";
    if (!model.selection.size) return count === 1 ? "There is one choice." : `There are ${count} choices.`;
    return count === 1 ? "There is one place for it." : `There are ${count} places for it.`;
  }
}

// --- keyboard ----------------------------------------------------------------------------

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const SIDEWAYS_COST = 2.5; // of a pixel to the side, in pixels ahead

const squaredDistance = (dx, dy) => dx * dx + dy * dy;

// Return the target nearest to a point, by `cost(dx, dy)`; a target whose cost is null is left out.
function nearestChoice(input, from, cost = squaredDistance) {
  const places = input.model.targets.map((choice) => ({ choice, at: input.centreOf(choice.action) })).filter(({ at }) => at);
  const reachable = places.map(({ choice, at }) => ({ choice, far: cost(at.x - from.x, at.y - from.y) })).filter(({ far }) => far !== null);
  return reachable.reduce((best, place) => (best && best.far <= place.far ? best : place), null)?.choice ?? null;
}

class KeyboardInput {
  constructor(input) {
    this.input = input;
  }

  // Handle a key; return whether it has a meaning here.
  handle(event) {
    const { input } = this;
    const { key } = event;
    const { rotatingPart } = input.model;
    if (key in ARROWS) this.moveCursor(...ARROWS[key]);
    else if (rotatingPart?.keys.includes(key.toLowerCase())) input.rotate(rotatingPart.name, event.shiftKey ? -1 : 1);
    else if (/^[1-9]$/.test(key) && input.model.firstPart) this.selectByNumber(Number(key));
    else if (key === "Enter" || (key === " " && event.target.closest("svg [data-action], [data-part]"))) return this.enter(event);
    else if (key === "Escape") hideExplanation() || input.cancel();
    else return false;
    return true;
  }

  // Move the cursor to the nearest target in a direction; without a cursor, to the target nearest to the board's centre.
  moveCursor(dx, dy) {
    const { input } = this;
    const from = input.cursor && input.centreOf(input.cursor.action);
    const cost = (x, y) => (x * dx + y * dy > 1 ? Math.abs(x * dx + y * dy) + SIDEWAYS_COST * Math.abs(x * dy - y * dx) : null);
    const box = input.table.querySelector("#board").getBoundingClientRect();
    const centre = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    this.focusChoice((from ? nearestChoice(input, from, cost) : nearestChoice(input, centre)) ?? input.cursor);
  }

  focusChoice(choice) {
    if (!choice) return;
    const element = this.input.elementOf(choice.action);
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.input.setCursorByKey(choice);
  }

  selectByNumber(number) {
    const { model } = this.input;
    const { name } = model.firstPart;
    const value = model.valuesOf(name)[number - 1];
    if (value === undefined || model.selection.get(name) === value) return;
    const [only, ...others] = model.matching([]).filter((choice) => choice.parts[name] === value);
    if (others.length || Object.keys(only.parts).length > 1) this.input.selectPart(name, value);
    else this.focusChoice(only); // the value is a whole choice: the other targets stay visible
  }

  // Press what has the focus by Enter or the space bar; elsewhere Enter plays.
  enter(event) {
    const { input } = this;
    const part = event.target.closest("[data-part]");
    if (part) input.selectPartElement(part);
    else if (event.target.closest("button, a, input, select, summary")) return false;
    else if (input.cursor) input.play();
    else if (input.defaultMacro) input.playMacro(input.defaultMacro);
    else return false;
    return true;
  }
}

// --- rotation of pieces ------------------------------------------------------------------

const MIN_WHEEL_PAUSE_MS = 180; // between two steps of the wheel
const STEP_DEGREES = 30; // that two fingers turn before the piece does

// Rotates a piece by the wheel of the mouse, or by two fingers.
class PieceRotation {
  constructor(input) {
    this.input = input;
    this.lastWheelAt = 0; // milliseconds
    this.angle = null; // of the two fingers at the last step, or when they touched
  }

  onWheel(event) {
    const part = this.input.model.rotatingPart;
    const isOverPiece = event.target.closest("[data-part]") || (this.input.cursor && event.target.closest("#board"));
    if (!part || event.ctrlKey || !isOverPiece) return; // the page scrolls or zooms
    event.preventDefault();
    if (event.timeStamp - this.lastWheelAt < MIN_WHEEL_PAUSE_MS) return;
    this.lastWheelAt = event.timeStamp;
    this.input.rotate(part.name, event.deltaY < 0 ? -1 : 1);
  }

  onTouchMove(event) {
    const part = this.input.model.rotatingPart;
    if (!part || event.touches.length !== 2) return;
    const [first, second] = event.touches;
    const angle = (Math.atan2(second.clientY - first.clientY, second.clientX - first.clientX) * 180) / Math.PI;
    this.angle ??= angle;
    const turned = ((angle - this.angle + 540) % 360) - 180;
    if (Math.abs(turned) < STEP_DEGREES) return;
    event.preventDefault();
    this.angle = angle;
    this.input.rotate(part.name, turned < 0 ? -1 : 1);
  }

  onTouchEnd() {
    this.angle = null;
  }
}

// --- previews ----------------------------------------------------------------------------

const MAX_PREFETCH = 32; // previews
const PREFETCH_DELAY_MS = 150;

// Previews of choices, drawn over the main picture. Each is fetched once.
class Previews {
  constructor(table, version) {
    this.addressOf = (actions) => `${table}/previews/${actions.join(",")}?mark=${encodeURIComponent(version)}`;
    this.drawings = new Map(); // action: a promise of its drawing
    this.shownAction = null;
    this.abort = new AbortController();
  }

  end() {
    this.abort.abort();
    this.show(null);
  }

  async show(action) {
    this.shownAction = action;
    if (action === null) return this.clear();
    this.fetch([action]);
    const drawing = await this.drawings.get(action);
    if (this.shownAction !== action) return; // another one is wanted now
    this.clear();
    const picture = document.querySelector("#board svg");
    if (!drawing || !picture) return;
    picture.append(document.importNode(drawing, true));
    picture.dispatchEvent(new Event("ghost", { bubbles: true }));
  }

  clear() {
    document.querySelectorAll("#board .ghost").forEach((ghost) => ghost.remove());
  }

  prefetch(actions) {
    this.fetch(actions.slice(0, MAX_PREFETCH));
  }

  fetch(actions) {
    const missing = actions.filter((action) => !this.drawings.has(action));
    if (!missing.length) return;
    const answer = this.load(missing);
    for (const action of missing) this.drawings.set(action, answer.then((drawings) => drawings.get(action) ?? null));
  }

  // Return a map from actions to drawings.
  async load(actions) {
    const drawings = new Map();
    try {
      const answer = await fetch(this.addressOf(actions), { headers: { Accept: "image/svg+xml" }, signal: this.abort.signal });
      if (answer.status !== 200) return drawings; // the table has changed: the stream will say so
      const picture = new DOMParser().parseFromString(await answer.text(), "image/svg+xml");
      for (const group of picture.querySelectorAll("[data-ghost]")) drawings.set(Number(group.dataset.ghost), group.firstElementChild);
    } catch {
      for (const action of actions) this.drawings.delete(action); // no connection: `show` tries again
    }
    return drawings;
  }
}

// --- explanations of illegal moves -------------------------------------------------------

const EXPLANATION_DISTANCE_PX = 14; // from the place
const EXPLANATION_MARGIN_PX = 8; // from the edge of the window

let explanationNumber = 0; // only the answer to the last request is shown

const explanationElement = () => document.querySelector("#why");

// Ask the site why nothing can be chosen at a point of a picture, and show the answer there until the next click.
async function explainIllegal(table, picture, event, selection) {
  const number = ++explanationNumber;
  const point = pointInPicture(picture, event);
  if (!point) return;
  const { panel } = picture.closest("[data-panel]").dataset;
  const query = new URLSearchParams({ panel, x: point.x.toFixed(2), y: point.y.toFixed(2), seen: table.dataset.seen });
  for (const [name, value] of selection) query.set(`part-${name}`, value);
  let html = "";
  try {
    const answer = await fetch(`${table.dataset.table}/explain?${query}`);
    if (answer.status === 200) html = await answer.text();
  } catch {
    // no connection: the page says so
  }
  if (html && number === explanationNumber && table.isConnected) showExplanation(html, event);
}

// Return the point of an event in the units of its picture. A part with its own layout says where it lies in the picture
// (`data-frame`); beside such parts there is no point.
function pointInPicture(picture, event) {
  const frame = event.target.closest("svg [data-frame]");
  if (!frame && picture.querySelector("[data-frame]")) return null;
  const matrix = (frame ?? picture).getScreenCTM()?.inverse();
  if (!matrix) return null;
  const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
  const [x, y] = (frame?.dataset.frame ?? "0 0").split(" ").map(Number);
  return { x: point.x + x, y: point.y + y };
}

function showExplanation(html, event) {
  const element = explanationElement();
  hideTooltip(); // the explanation says more, and would lie under it
  element.innerHTML = html; // the site's own markup
  const { width, height } = element.getBoundingClientRect();
  const fitsBelow = event.clientY + EXPLANATION_DISTANCE_PX + height + EXPLANATION_MARGIN_PX <= window.innerHeight;
  const left = Math.min(event.clientX - width / 2, window.innerWidth - width - EXPLANATION_MARGIN_PX);
  const top = fitsBelow ? event.clientY + EXPLANATION_DISTANCE_PX : event.clientY - EXPLANATION_DISTANCE_PX - height;
  element.style.left = `${Math.max(EXPLANATION_MARGIN_PX, left)}px`;
  element.style.top = `${Math.max(EXPLANATION_MARGIN_PX, top)}px`;
  const target = element.querySelector("[data-target]")?.dataset.target;
  if (target) document.getElementById(target)?.classList.add("barred");
  document.querySelector("#question").classList.add("refused");
}

// Remove the explanation; return whether there was one.
function hideExplanation() {
  explanationNumber += 1;
  const element = explanationElement();
  const isShown = Boolean(element?.firstChild);
  element?.replaceChildren();
  for (const piece of document.querySelectorAll("svg .barred")) piece.classList.remove("barred");
  document.querySelector("#question")?.classList.remove("refused");
  return isShown;
}

// --- board zoom --------------------------------------------------------------------------

// Enlarges the board if its targets are too small for a finger, or its texts too small to read on a phone. It shows a part
// of the board, and an overview of the whole: a tap or a drag there moves the part. The part starts where the picture says
// (`.look-here`), or else around the target with the largest gain. The hand grows instead, and scrolls sideways.

const TOUCH_SCREEN = window.matchMedia("(pointer: coarse), (max-width: 767px)");
const NARROW = window.matchMedia("(max-width: 767px)");
const MIN_PHONE_TARGET_PX = 44;
const MIN_TABLET_TARGET_PX = 30; // smaller, since the whole board is worth more there
const MIN_VISIBLE_SHARE = 0.6; // of the board, which needs no overview
const MAX_BOARD_ZOOM = 4; // times the size that fits
const MAX_HAND_ZOOM = 2;
const TEXT_TOLERANCE_PX = 0.25;
const CENTRE = { x: 0.5, y: 0.5 }; // of the picture
const SCROLL_MARGIN_PX = 8;
const COPY_REMOVES = ["id", "data-action", "data-part", "data-value", "role", "tabindex", "aria-label", "aria-pressed"];
const PICTURE_TARGETS = "[data-action]:not(.away), [data-part]";

let lastView = null; // the part that was shown last: {window, width, x, y}, its centre as shares of the picture
const handZooms = new Map(); // id of a picture's element: its zoom

// Return the pixels of the smallest visible element.
function smallestSize(elements) {
  const boxes = [...elements].map((element) => element.getBoundingClientRect());
  return Math.min(...boxes.filter(({ width }) => width).map(({ width, height }) => Math.min(width, height)));
}

// Enlarge a picture beside the board for fingers. It keeps its zoom, so that its pane keeps its height; outside the open
// tab it is shown whole.
function enlargeHand(element, isPreview) {
  const picture = element.querySelector("svg");
  if (!picture) return;
  picture.style.width = "";
  const size = NARROW.matches ? smallestSize(element.querySelectorAll(PICTURE_TARGETS)) : MIN_PHONE_TARGET_PX;
  if (size < MIN_PHONE_TARGET_PX && !isPreview) {
    handZooms.set(element.id, Math.max(handZooms.get(element.id) ?? 1, Math.min(MIN_PHONE_TARGET_PX / size, MAX_HAND_ZOOM)));
  }
  const zoom = NARROW.matches && !isPreview ? handZooms.get(element.id) ?? 1 : 1;
  element.classList.toggle("grown", zoom > 1);
  if (zoom > 1) element.tabIndex = 0; // keys scroll it, also without targets
  else element.removeAttribute("tabindex");
  if (zoom > 1) picture.style.width = `${100 * zoom}%`;
}

// Scroll an enlarged picture until one of its targets is visible.
function scrollToTarget(element) {
  const frame = element.getBoundingClientRect();
  const boxes = [...element.querySelectorAll(PICTURE_TARGETS)].map((target) => target.getBoundingClientRect());
  const isInFrame = ({ left, right }) => left >= frame.left - 1 && right <= frame.right + 1;
  if (!element.matches(".grown") || !boxes.length || boxes.some(isInFrame)) return;
  element.scrollBy(boxes[0].left - frame.left - SCROLL_MARGIN_PX, 0);
}

export class BoardZoom {
  constructor(table) {
    this.table = table;
    this.board = table.querySelector("#board");
    this.picture = this.board.querySelector("svg");
    this.targets = null; // [{element, gain}]
    this.listeners = new AbortController();
    const { signal } = this.listeners;
    for (const tab of table.querySelectorAll('.room > [name="tab"]')) tab.addEventListener("change", () => this.update(), { signal });
    window.addEventListener("resize", () => this.update(), { signal });
    this.board.addEventListener("scroll", () => this.followScroll(), { signal, passive: true });
  }

  // Fit the zoom to these targets.
  fit(targets) {
    this.targets = targets;
    this.update();
  }

  // Measure the pictures again if anything has changed that decides the zoom.
  update() {
    if (!this.targets) return;
    const tab = this.table.querySelector('.room > [name="tab"]:checked')?.value;
    const isShown = !(NARROW.matches && tab !== "board"); // at other tabs there is a preview of the whole board
    const actions = [...this.table.querySelectorAll("svg [data-action]:not(.away)")].map((element) => element.dataset.action);
    const isExplained = this.board.matches(".overseen"); // a step of the lesson is about the whole board
    const state = [tab, window.innerWidth, window.innerHeight, isExplained, this.targets.length, ...actions].join();
    if (state === this.state) return;
    this.state = state;
    for (const element of this.table.querySelectorAll(".pane .drawn")) {
      enlargeHand(element, tab !== tabOf(element));
      scrollToTarget(element);
    }
    this.showWhole();
    if (TOUCH_SCREEN.matches && isShown && !isExplained && this.board.clientWidth) this.enlargeIfSmall();
    if (isShown && !this.board.matches(".near")) this.scrollToTargets();
    redrawHighlights();
  }

  enlargeIfSmall() {
    const minimum = NARROW.matches ? MIN_PHONE_TARGET_PX : MIN_TABLET_TARGET_PX;
    const isSmall = this.targets.length ? this.targetSize() < minimum : lastView?.window === window.innerWidth;
    if (isSmall || this.textSize() < MIN_TEXT_PX - TEXT_TOLERANCE_PX) this.showPart();
  }

  // Return the pixels of the smallest text. A tablet shows the whole board, whatever its texts.
  textSize() {
    return NARROW.matches ? Math.min(...textSizes(this.picture)) : Infinity;
  }

  targetSize() {
    return smallestSize(this.targets.map(({ element }) => element));
  }

  // Scroll the board to all targets if they fit, or else to some of them.
  scrollToTargets() {
    const frame = this.board.getBoundingClientRect();
    const boxes = this.targets.map(({ element }) => element.getBoundingClientRect());
    const [top, bottom] = [Math.min(...boxes.map((box) => box.top)), Math.max(...boxes.map((box) => box.bottom))];
    const isAnyVisible = boxes.some((box) => box.top >= frame.top && box.bottom <= frame.bottom);
    if (!boxes.length || (isAnyVisible && bottom - top > frame.height - 2 * SCROLL_MARGIN_PX)) return;
    const [toTop, toBottom] = [top - frame.top - SCROLL_MARGIN_PX, bottom - frame.bottom + SCROLL_MARGIN_PX];
    if (top < frame.top) this.board.scrollBy(0, toTop);
    else if (bottom > frame.bottom) this.board.scrollBy(0, Math.min(toBottom, toTop));
  }

  showPart() {
    this.board.classList.add("near");
    this.board.tabIndex = 0; // keys scroll it
    let zoom = this.enlarge();
    if (this.visibleShare < MIN_VISIBLE_SHARE) {
      this.drawOverview();
      zoom = this.enlarge(); // beside the overview of a phone held sideways the board is narrower
    }
    const centre = this.partCentre(zoom);
    lastView = { ...centre, window: window.innerWidth, width: zoom };
    this.moveTo(centre);
  }

  // Enlarge the picture as fingers and texts need; return the zoom.
  enlarge() {
    this.picture.style.width = "100%";
    const targetZoom = this.targets.length ? MIN_PHONE_TARGET_PX / this.targetSize() : lastView?.width ?? 1;
    const zoom = Math.min(Math.max(1, targetZoom, MIN_TEXT_PX / this.textSize()), MAX_BOARD_ZOOM);
    this.picture.style.width = `${100 * zoom}%`;
    return zoom;
  }

  // The share of the board that is visible.
  get visibleShare() {
    const whole = this.picture.getBoundingClientRect();
    return (this.board.clientWidth * this.board.clientHeight) / (whole.width * whole.height);
  }

  showWhole() {
    this.board.classList.remove("near");
    this.picture.style.width = "";
    this.overview?.remove();
    this.overview = null;
  }

  end() {
    this.listeners.abort();
    this.showWhole();
  }

  // --- overview ---

  // Draw the whole board with a frame around the part. Screen readers have the board itself.
  drawOverview() {
    this.overview = document.createElement("div");
    this.overview.className = "overview";
    this.overview.setAttribute("aria-hidden", "true");
    const copy = this.picture.cloneNode(true);
    copy.style.width = "";
    for (const element of [copy, ...copy.querySelectorAll("*")]) for (const name of COPY_REMOVES) element.removeAttribute(name);
    const { width, height } = this.picture.getBoundingClientRect(); // which may be turned
    const sheet = document.createElement("div");
    sheet.className = "small";
    sheet.style.aspectRatio = `${width} / ${height}`;
    this.frame = document.createElement("div");
    this.frame.className = "frame";
    sheet.append(copy, this.frame);
    this.overview.append(sheet);
    this.board.after(this.overview);
    for (const kind of ["pointerdown", "pointermove"]) this.overview.addEventListener(kind, (event) => this.onDrag(event, sheet));
  }

  onDrag(event, sheet) {
    if (event.type === "pointerdown") this.overview.setPointerCapture(event.pointerId);
    else if (!this.overview.hasPointerCapture(event.pointerId)) return;
    const box = sheet.getBoundingClientRect();
    this.moveTo({ x: (event.clientX - box.x) / box.width, y: (event.clientY - box.y) / box.height });
  }

  // Move the frame to the visible part.
  followScroll() {
    if (!this.board.matches(".near")) return;
    const [part, whole] = [this.board.getBoundingClientRect(), this.picture.getBoundingClientRect()];
    const share = (value, size) => Math.min(Math.max(0, value / size), 1);
    const [left, right] = [part.left, part.right].map((x) => share(x - whole.left, whole.width));
    const [top, bottom] = [part.top, part.bottom].map((y) => share(y - whole.top, whole.height));
    const box = { left, top, width: right - left, height: bottom - top };
    for (const [name, value] of Object.entries(this.overview ? box : {})) this.frame.style[name] = `${100 * value}%`;
    lastView = { ...lastView, x: (left + right) / 2, y: (top + bottom) / 2 };
  }

  // --- visible part ---

  moveTo({ x, y }) {
    const whole = this.picture.getBoundingClientRect();
    const frame = this.board.getBoundingClientRect();
    this.board.scrollBy(whole.x + x * whole.width - frame.x - frame.width / 2, whole.y + y * whole.height - frame.y - frame.height / 2);
    this.followScroll();
  }

  // Return the centre of the part: where the picture says; or the last one, if the best target is visible from there; or the
  // best target.
  partCentre(zoom) {
    const whole = this.picture.getBoundingClientRect();
    const frame = { x: this.board.clientWidth / whole.width, y: this.board.clientHeight / whole.height };
    const places = this.targets.map(({ element, gain }) => {
      const box = element.getBoundingClientRect();
      const isFirst = Boolean(element.closest(".look-here"));
      return { x: (box.x + box.width / 2 - whole.x) / whole.width, y: (box.y + box.height / 2 - whole.y) / whole.height, gain, isFirst };
    });
    const first = places.find((place) => place.isFirst);
    if (first) return first;
    const isVisibleFrom = (centre, place) => 2 * Math.abs(place.x - centre.x) < frame.x && 2 * Math.abs(place.y - centre.y) < frame.y;
    const countAround = (centre) => places.filter((place) => isVisibleFrom(centre, place)).length;
    const compare = (a, b) => a.gain - b.gain || countAround(a) - countAround(b);
    const best = places.reduce((found, place) => (found && compare(place, found) <= 0 ? found : place), null);
    if (lastView && lastView.width === zoom && (!best || isVisibleFrom(lastView, best))) return lastView;
    return best ?? lastView ?? CENTRE;
  }
}
