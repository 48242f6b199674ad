// The undo window counts down without a request; when it is over, the server is asked what became of
// it. The page of the item itself is then gone to anew; a line about another item only changes.
const ASK_EVERY = 1500;
const LONGEST = 15000;
// Beyond this nothing counts by the second: the page says the span in words.
const COUNTED = 600000;

export function startCountdowns(root) {
  for (const element of root.querySelectorAll("[data-countdown]")) watch(element);
}

function watch(element) {
  const span = Number(element.dataset.countdown || 0);
  const number = element.querySelector("[data-seconds]");
  const bar = element.querySelector("progress");
  if (span > COUNTED || !number) {
    askLater(element, 0);
    return;
  }
  const until = Date.now() + span;
  const tick = () => {
    if (!element.isConnected) return;
    const left = Math.max(0, until - Date.now());
    number.textContent = String(Math.ceil(left / 1000));
    if (bar) bar.value = left;
    if (left > 0) window.setTimeout(tick, 200);
    else ask(element, 0);
  };
  tick();
}

function askLater(element, tries) {
  window.setTimeout(() => ask(element, tries + 1), Math.min(ASK_EVERY * (1 + tries / 4), LONGEST));
}

async function ask(element, tries) {
  if (!element.isConnected) return;
  if (document.hidden) {
    askLater(element, tries);
    return;
  }
  try {
    const answer = await fetch(element.dataset.stateUrl, { headers: { Accept: "application/json" } });
    const found = await answer.json();
    if (found.state !== element.dataset.state) {
      // Not read anew: what answers a form would be sent a second time.
      if (element.dataset.then) window.location.replace(element.dataset.then);
      else tell(element, found);
      if (found.state !== "sending") return;
      element.dataset.state = found.state;
    }
  } catch {
    // The server may be starting anew; ask again.
  }
  askLater(element, tries);
}

// The page has words for what was sent; whatever else became of it, the server says.
function tell(element, { state, words }) {
  for (const part of element.querySelectorAll("[data-while]")) part.hidden = true;
  for (const part of element.querySelectorAll("[data-after]")) {
    part.dataset.sent ??= part.textContent;
    part.textContent = state === "sent" ? part.dataset.sent : words;
    part.hidden = false;
  }
}
