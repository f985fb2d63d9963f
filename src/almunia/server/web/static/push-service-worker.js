// Shows push messages while no page of the site is open. It caches nothing, and answers no requests of pages.

self.addEventListener("push", (event) => event.waitUntil(showMessage(event.data.json())));

// Show a message, unless the player is looking at its table.
async function showMessage(message) {
  const windows = await self.clients.matchAll({ type: "window" });
  const path = new URL(message.link, self.location.origin).pathname;
  if (windows.some((client) => client.focused && new URL(client.url).pathname === path)) return;
  await self.registration.showNotification(message.title, {
    body: message.body,
    tag: message.tag,
    icon: "/static/icon-turn.svg",
    data: { path },
  });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(event.notification.data.path));
});

// Focus the window that shows a page of the site, or open one.
async function openPage(path) {
  const windows = await self.clients.matchAll({ type: "window" });
  const client = windows.find((candidate) => new URL(candidate.url).pathname === path);
  return client ? client.focus() : self.clients.openWindow(path);
}
