// A button of the question bar: its words, the key that does the same, and whether it is pressed.

export function button(words, key, act, pressed) {
  const made = document.createElement("button");
  made.type = "button";
  const label = document.createElement("span");
  label.textContent = words;
  made.append(label);
  if (key) {
    const hint = document.createElement("kbd");
    hint.textContent = key;
    made.append(" ", hint);
  }
  if (pressed !== undefined) made.setAttribute("aria-pressed", String(pressed));
  made.addEventListener("click", (event) => {
    event.stopPropagation();
    act();
  });
  return made;
}
