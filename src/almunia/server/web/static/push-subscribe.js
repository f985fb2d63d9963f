// Notifications by push messages: offers them where the browser supports them, and subscribes. Fills in the time zone of
// quiet hours.

const form = document.getElementById("push");
const problem = document.getElementById("push-none");
const REFUSED = "This browser doesn't allow messages from this site. You can change that in its settings for the site.";
const FAILED = "The push service of this browser couldn't be reached. Please try again later.";

if (form && "serviceWorker" in navigator && "PushManager" in window && "Notification" in window) {
  form.hidden = false;
  problem.hidden = true;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      if ((await Notification.requestPermission()) !== "granted") return showProblem(REFUSED);
      await subscribe();
    } catch {
      return showProblem(FAILED);
    }
    form.submit();
  });
}

const zone = document.querySelector("[data-own]");
if (zone) zone.value = Intl.DateTimeFormat().resolvedOptions().timeZone || zone.value;

// Subscribe to push messages, and write the subscription into the form.
async function subscribe() {
  const registration = await navigator.serviceWorker.register("/notifications/worker.js", { scope: "/" });
  await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: form.dataset.key };
  const subscription = (await registration.pushManager.subscribe(options)).toJSON();
  form.elements.endpoint.value = subscription.endpoint;
  form.elements.p256dh.value = subscription.keys.p256dh;
  form.elements.auth.value = subscription.keys.auth;
}

function showProblem(sentence) {
  problem.textContent = sentence;
  problem.setAttribute("role", "alert");
  problem.hidden = false;
}
