// Passkeys: fetches the options from the site, asks the browser's authenticator, and sends its answer with the form.

const isSupported = "PublicKeyCredential" in window && "parseCreationOptionsFromJSON" in PublicKeyCredential;
const REFUSED = "Your device didn't provide a passkey, so nothing was changed. You can try again.";
const LOST = "There is no connection. Please try again.";

async function requestCredential(form) {
  const { make } = form.dataset;
  const answer = await fetch(form.dataset.ask, { method: "POST", body: new URLSearchParams({ make }) });
  if (!answer.ok) throw new Error(answer.status === 403 ? "Please confirm that it's you first, at the top of this page." : LOST);
  const options = await answer.json();
  if (make === "1") {
    return navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) });
  }
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
}

function showProblem(form, sentence) {
  const element = form.querySelector(".wrong");
  element.textContent = sentence;
  element.hidden = !sentence;
}

async function submitWithPasskey(form) {
  const button = form.querySelector("button");
  button.disabled = true;
  showProblem(form, "");
  try {
    form.elements.credential.value = JSON.stringify((await requestCredential(form)).toJSON());
    form.submit();
  } catch (error) {
    showProblem(form, error instanceof DOMException ? REFUSED : error instanceof TypeError ? LOST : error.message);
    button.disabled = false;
  }
}

for (const form of isSupported ? document.querySelectorAll(".passkey") : []) {
  form.hidden = false;
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submitWithPasskey(form);
  });
}
