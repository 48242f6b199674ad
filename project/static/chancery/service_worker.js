// Takes pushes, shows them, and opens the page they name. It answers no request and keeps nothing: no
// page, no word of any mail is ever cached here.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("push", (event) => {
  const told = read(event.data);
  const icon = "/static/chancery/icons/seal-192.png";
  const shown = { tag: "chancery", renotify: true, icon, badge: icon, data: { path: told.path } };
  event.waitUntil(self.registration.showNotification(told.title, shown));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.path));
});

function read(data) {
  try {
    const { title, path } = data.json();
    const place = new URL(path, self.location.origin);
    const isOurs = place.origin === self.location.origin && place.pathname.startsWith("/admin/");
    return { title: String(title), path: isOurs ? place.pathname + place.search : "/admin/" };
  } catch {
    return { title: "Chancery", path: "/admin/" };
  }
}

async function open(path) {
  const pages = await self.clients.matchAll({ type: "window" });
  const seen = pages.find((page) => page.url === self.location.origin + path);
  await (seen ? seen.focus() : self.clients.openWindow(path));
}
