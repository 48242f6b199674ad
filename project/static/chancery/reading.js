// A thread: another view of a message takes its place without the page being read anew, and the
// message that the address names is unfolded.
import { localiseTimes } from "./times.js";

export function startReading() {
  document.addEventListener("click", onClick);
  window.addEventListener("hashchange", unfoldNamed);
  unfoldNamed();
}

function onClick(event) {
  const link = event.target.closest?.("a[data-swap]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  swap(link);
}

async function swap(link) {
  const place = link.dataset.swap;
  try {
    const answer = await fetch(link.href);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = found.getElementById(place);
    if (!answer.ok || !fresh) throw new Error("no such message");
    const leaf = document.getElementById(place);
    localiseTimes(fresh);
    fresh.querySelector("details.leaf").open = true;
    leaf.replaceWith(fresh);
    window.history.replaceState(null, "", link.href);
    fresh.querySelector("[data-swap][aria-current]").focus({ preventScroll: true });
  } catch {
    // Read anew: signed out, or the server is starting.
    window.location.assign(link.href);
  }
}

function unfoldNamed() {
  const named = document.getElementById(window.location.hash.slice(1));
  const leaf = named?.querySelector("details.leaf");
  if (!leaf) return;
  leaf.open = true;
  named.scrollIntoView({ block: "start" });
  leaf.querySelector("summary").focus({ preventScroll: true });
}
