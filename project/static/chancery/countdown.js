// The undo window counts down; when it is over, or the state changes, the page is read anew.
const ASK_EVERY = 1500;

export function startCountdowns(root) {
  for (const element of root.querySelectorAll("[data-state-url]")) watch(element);
}

function watch(element) {
  const until = Date.now() + Number(element.dataset.milliseconds || 0);
  const number = element.querySelector("[data-seconds]");
  const bar = element.querySelector("progress");
  const tick = () => {
    const left = Math.max(0, until - Date.now());
    if (number) number.textContent = String(Math.ceil(left / 1000));
    if (bar) bar.value = left;
    if (left > 0) window.setTimeout(tick, 200);
    else ask(element, 0);
  };
  tick();
}

async function ask(element, tries) {
  const seen = element.dataset.state;
  try {
    const answer = await fetch(element.dataset.stateUrl, { headers: { Accept: "application/json" } });
    const { state } = await answer.json();
    if (state !== seen) {
      window.location.reload();
      return;
    }
  } catch {
    // The server may be starting anew; ask again.
  }
  window.setTimeout(() => ask(element, tries + 1), Math.min(ASK_EVERY * (1 + tries / 4), 15000));
}
