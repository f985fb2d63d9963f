// Passkeys: asks the site what is wanted, lets the browser ask its authenticator, and sends the answer with the form.

const able = "PublicKeyCredential" in window && "parseCreationOptionsFromJSON" in PublicKeyCredential;
const REFUSED = "Nothing was done: your device did not show a passkey. You can try again.";
const LOST = "There is no connection. Please try again.";

async function ask(form) {
  const make = form.dataset.make;
  const answer = await fetch(form.dataset.ask, { method: "POST", body: new URLSearchParams({ make }) });
  if (!answer.ok) throw new Error(answer.status === 403 ? "Please confirm that it's you first, at the top of this page." : LOST);
  const options = await answer.json();
  if (make === "1") {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  }
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
}

function say(form, words) {
  const place = form.querySelector(".wrong");
  place.textContent = words;
  place.hidden = !words;
}

async function show(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  say(form, "");
  try {
    form.elements.credential.value = JSON.stringify((await ask(form)).toJSON());
    form.submit();
  } catch (error) {
    say(form, error instanceof DOMException ? REFUSED : error instanceof TypeError ? LOST : error.message);
    button.disabled = false;
  }
}

for (const form of able ? document.querySelectorAll(".passkey") : []) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show(form);
  });
}
