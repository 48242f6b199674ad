// News for whoever has a page open: a number before the title, a quiet line, and, where the person
// allowed it, a notification. Of all open pages one asks: it holds a lock and tells the others.
const HELD_MS = 45_000;
const KEPT = { lock: "chancery-notices-lock", last: "chancery-notices-last", allowed: "chancery-notices-allowed" };
const me = Math.random().toString(36).slice(2);

export function startNotices(root) {
  const element = root.querySelector("[data-notices]");
  if (!element) return;
  const channel = "BroadcastChannel" in window ? new BroadcastChannel("chancery-notices") : null;
  const show = (state) => {
    const title = document.title.replace(/^\(\d+\+?\) /, "");
    document.title = state.waiting ? `(${state.waiting > 99 ? "99+" : state.waiting}) ${title}` : title;
    if (state.news) line(element, state.news);
  };
  if (channel) channel.onmessage = (event) => show(event.data);
  element.querySelector("[data-live-close]").addEventListener("click", () => (element.hidden = true));
  const every = 1000 * Number(element.dataset.every);
  const look = async () => {
    if (!document.hidden && leads()) await ask(element, channel, show);
    window.setTimeout(look, every);
  };
  window.setTimeout(look, 1500);
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && leads()) ask(element, channel, show);
  });
  window.addEventListener("pagehide", () => {
    if (read(KEPT.lock).startsWith(`${me} `)) write(KEPT.lock, "");
  });
  startAllowing(root);
}

// Whoever wrote the lock last, and not long ago, is the one that asks.
function leads() {
  const [who, until] = read(KEPT.lock).split(" ");
  if (who && who !== me && Number(until) > Date.now()) return false;
  write(KEPT.lock, `${me} ${Date.now() + HELD_MS}`);
  return true;
}

async function ask(element, channel, show) {
  try {
    const answer = await fetch(`${element.dataset.notices}?since=${encodeURIComponent(read(KEPT.last))}`, {
      headers: { accept: "application/json" },
      redirect: "manual",
    });
    if (!answer.ok) return;
    const state = await answer.json();
    write(KEPT.last, String(state.last));
    show(state);
    channel?.postMessage(state);
    if (state.news) notify(state.news);
  } catch {
    // Signed out, or the server is starting anew: ask again later.
  }
}

function line(element, news) {
  const link = element.querySelector("[data-live-link]");
  link.textContent = news.text ? `${news.title}. ${news.text}` : news.title;
  link.href = new URL(news.url).pathname + new URL(news.url).search;
  element.hidden = false;
}

function notify(news) {
  if (read(KEPT.allowed) !== "yes" || !("Notification" in window) || Notification.permission !== "granted") return;
  const notice = new Notification(news.title, { body: news.text, tag: "chancery" });
  notice.onclick = () => {
    window.focus();
    window.location.assign(new URL(news.url).pathname + new URL(news.url).search);
  };
}

// The button on the settings page; its words stand in the page.
function startAllowing(root) {
  const place = root.querySelector("[data-allows-notices]");
  if (!place) return;
  const button = place.querySelector("button");
  const say = () => {
    const permission = "Notification" in window ? Notification.permission : "missing";
    const state = permission === "granted" && read(KEPT.allowed) !== "yes" ? "default" : permission;
    for (const words of place.querySelectorAll("[data-when]")) words.hidden = words.dataset.when !== state;
    button.hidden = state !== "default";
  };
  button.addEventListener("click", async () => {
    if ((await Notification.requestPermission()) === "granted") write(KEPT.allowed, "yes");
    say();
  });
  say();
}

function read(name) {
  try {
    return window.localStorage.getItem(name) || "";
  } catch {
    return "";
  }
}

function write(name, text) {
  try {
    window.localStorage.setItem(name, text);
  } catch {
    // A browser that keeps nothing tells its news anew.
  }
}
