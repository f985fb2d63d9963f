// Offers push messages where a browser can take them, and asks it for an address when somebody wants them; fills in the
// time zone of quiet hours.

const form = document.getElementById("push");
const none = document.getElementById("push-none");
const REFUSED = "This browser doesn't allow messages from this site. You can change that in its settings for the site.";
const FAILED = "This browser could not be reached by its push service. Please try again later.";

if (form && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window) {
  form.hidden = false;
  none.hidden = true;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      if ((await Notification.requestPermission()) !== "granted") return say(REFUSED);
      await subscribe();
    } catch {
      return say(FAILED);
    }
    form.submit();
  });
}

const zone = document.querySelector("[data-own]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || zone.value;

/** Get an address for push messages, and write it into the form. */
async function subscribe() {
  const worker = await navigator.serviceWorker.register("/alerts/worker.js", { scope: "/" });
  await navigator.serviceWorker.ready;
  const wanted = { userVisibleOnly: true, applicationServerKey: form.dataset.key };
  const given = (await worker.pushManager.subscribe(wanted)).toJSON();
  form.elements.endpoint.value = given.endpoint;
  form.elements.p256dh.value = given.keys.p256dh;
  form.elements.auth.value = given.keys.auth;
}

/** Say why there will be no messages. */
function say(words) {
  none.textContent = words;
  none.setAttribute("role", "alert");
  none.hidden = false;
}
