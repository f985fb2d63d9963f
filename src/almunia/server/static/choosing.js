// What may be chosen, narrowed part by part. Knows nothing of pages or pictures.

// The choices that a form has buttons for: [{action, words, effect, gain, parts}].
export function offeredBy(form, parts) {
  const partsOf = (button) => parts.map(({ name }) => [name, button.getAttribute(`data-of-${name}`)]).filter(([, value]) => value !== null);
  return [...form.querySelectorAll("button[name=action]")].map((button) => ({
    action: Number(button.value),
    words: button.firstChild?.textContent.trim() ?? "",
    effect: button.querySelector("small")?.textContent ?? "",
    gain: Number(button.dataset.gain ?? 0),
    parts: Object.fromEntries(partsOf(button)),
  }));
}

// What it offers in one go: [{code, actions, words, effect}].
export function coursesOf(form) {
  return [...form.querySelectorAll("button[name=course]")].map((button) => ({
    code: button.value,
    actions: button.value.split(",").map(Number),
    words: button.firstChild?.textContent.trim() ?? "",
    effect: button.querySelector("small")?.textContent ?? "",
  }));
}

const best = (choices) => choices.reduce((most, one) => (one.gain > most.gain ? one : most));

export class Choosing {
  // parts: [{name, label, turns, keys}] in their order
  constructor(choices, parts) {
    this.choices = choices;
    this.parts = parts.filter((part) => choices.some((choice) => part.name in choice.parts));
    this.picked = new Map();
    this.settle();
  }

  // The choices that fit what has been picked of the parts named (all of them, if none are named).
  fitting(names = [...this.picked.keys()]) {
    return this.choices.filter((choice) => names.every((name) => !this.picked.has(name) || choice.parts[name] === this.picked.get(name)));
  }

  // The values a part may take, given the parts before it.
  values(name) {
    const before = this.parts.slice(0, this.parts.findIndex((part) => part.name === name)).map((part) => part.name);
    return [...new Set(this.fitting(before).map((choice) => choice.parts[name]).filter((value) => value !== undefined))];
  }

  pick(name, value) {
    const other = this.picked.has(name) && this.picked.get(name) !== value;
    for (const part of this.parts) if (other && part.turns && part.name !== name) this.picked.delete(part.name); // it comes up anew
    this.picked.set(name, value);
    // The newest wish holds; older ones that do not fit it are dropped, the later parts first.
    for (const part of [...this.parts].reverse()) {
      if (part.name !== name && this.fitting().length === 0) this.picked.delete(part.name);
    }
    this.settle();
  }

  letGo() {
    this.picked.clear();
    this.settle();
  }

  // Go on to the next value of a part that turns.
  turn(name, step = 1) {
    const values = this.values(name);
    if (values.length > 1) this.pick(name, values[(values.indexOf(this.picked.get(name)) + step + values.length) % values.length]);
  }

  // Take a value of every part but the last, as long as all that is left has that part: the first one, and of what turns
  // the one that brings most.
  settle() {
    for (const part of this.parts) {
      const left = this.fitting();
      if (this.picked.has(part.name)) continue;
      const shared = left.length > 0 && left.every((choice) => part.name in choice.parts);
      if (!shared) return;
      const goesOn = left.every((choice) => this.open(choice) > 1);
      if (goesOn) this.picked.set(part.name, part.turns ? best(left).parts[part.name] : this.values(part.name)[0]);
    }
  }

  // How many parts of a choice are still open.
  open(choice) {
    return Object.keys(choice.parts).filter((name) => !this.picked.has(name)).length;
  }

  // The choices that one more click would complete.
  get targets() {
    return this.fitting().filter((choice) => this.open(choice) <= 1);
  }

  // The part that comes first, if there is something to choose in it.
  get first() {
    return this.parts.find((part) => !part.turns && this.values(part.name).length > 1);
  }

  get turning() {
    return this.parts.find((part) => part.turns && this.values(part.name).length > 1);
  }
}
