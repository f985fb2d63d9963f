// Copies a link or a secret that stands in a field beside its button.

export async function copyField(button) {
  const field = button.parentElement.querySelector("input");
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
    return true;
  } catch {
    field.select(); // no clipboard here: the keys for copying do the rest
    return false;
  }
}

for (const button of document.querySelectorAll("main.sheet .copy")) {
  button.hidden = false;
  button.addEventListener("click", () => copyField(button));
}
