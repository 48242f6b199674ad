// Parts of a page that change by themselves are read anew, while somebody looks.
import { localiseTimes } from "./times.js";

export function startRefreshing(root) {
  for (const element of root.querySelectorAll("[data-refresh-url]")) later(element);
}

function later(element) {
  window.setTimeout(() => refresh(element), 1000 * Number(element.dataset.every || 15));
}

async function refresh(element) {
  if (!element.isConnected) return;
  if (document.hidden || element.contains(document.activeElement)) {
    later(element);
    return;
  }
  try {
    const answer = await fetch(element.dataset.refreshUrl);
    if (!answer.ok) {
      // What is gone or forbidden stays so; other troubles of the server may pass.
      if (answer.status >= 500 || answer.status === 429) later(element);
      return;
    }
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = found.getElementById(element.id);
    if (!fresh) return;
    localiseTimes(fresh);
    element.replaceWith(fresh);
    if (fresh.dataset.refreshUrl) later(fresh);
  } catch {
    // The server may be starting anew; ask again.
    later(element);
  }
}
