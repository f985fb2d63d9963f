// Shows push messages while no page of the site is open. It keeps nothing, and answers no requests of pages.

self.addEventListener("push", (event) => {
  const said = event.data.json();
  event.waitUntil(shown(said));
});

/** Show a message, unless somebody is looking at its table. */
async function shown(said) {
  const windows = await self.clients.matchAll({ type: "window" });
  const path = new URL(said.link, self.location.origin).pathname;
  if (windows.some((one) => one.focused && new URL(one.url).pathname === path)) return;
  await self.registration.showNotification(said.title, {
    body: said.body,
    tag: said.tag,
    icon: "/static/icon-turn.svg",
    data: { path },
  });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(gone(event.notification.data.path));
});

/** Go to a page of the site, in the window that has it if there is one. */
async function gone(path) {
  const windows = await self.clients.matchAll({ type: "window" });
  const open = windows.find((one) => new URL(one.url).pathname === path);
  return open ? open.focus() : self.clients.openWindow(path);
}
