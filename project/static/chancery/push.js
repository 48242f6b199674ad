// The button that has this browser told though no page is open.
const place = document.querySelector("[data-push]");
if (place) start(place);

function start(place) {
  const able = "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;
  const button = place.querySelector("[data-push-go]");
  button.hidden = !able;
  place.querySelector("[data-push-missing]").hidden = able;
  button.addEventListener("click", () => subscribe(place).catch((error) => fail(place, error)));
}

async function subscribe(place) {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("");
  const worker = await navigator.serviceWorker.register(place.dataset.worker, { scope: "/admin/" });
  await navigator.serviceWorker.ready;
  const key = bytes(place.dataset.push);
  const before = await worker.pushManager.getSubscription();
  // One by another key, such as of a set-up that was made anew, would never tell anything.
  if (before && text(before.options.applicationServerKey) !== place.dataset.push) await before.unsubscribe();
  const made = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key });
  const body = new FormData(place.querySelector("form"));
  body.set("endpoint", made.endpoint);
  body.set("key", text(made.getKey("p256dh")));
  body.set("auth", text(made.getKey("auth")));
  const answer = await fetch(place.querySelector("form").action, { method: "POST", body });
  if (!answer.ok) throw new Error((await answer.json()).error);
  location.hash = "push";
  location.reload();
}

function fail(place, error) {
  const line = place.querySelector("[data-push-failed]");
  line.hidden = false;
  const why = line.querySelector("[data-push-why]");
  why.textContent = error.message;
}

function bytes(words) {
  const plain = atob(words.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const letters = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
