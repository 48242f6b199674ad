// A look at an item from within the queue: the space bar opens what the server says of it, and there
// it is decided by the keys of its own page.
import { measure } from "./measuring.js";
import { watchEnds } from "./seen.js";
import { localiseTimes } from "./times.js";

export function startPeeking(root) {
  const dialog = root.querySelector("[data-peek-dialog]");
  const buttons = [...root.querySelectorAll("[data-peek]")];
  if (!dialog || !buttons.length) return;
  let at = -1;
  const show = async (to) => {
    const button = buttons[to];
    if (!button) return;
    const found = await read(button.dataset.peek);
    if (!found) {
      linkOf(button).click();
      return;
    }
    at = to;
    dialog.replaceChildren(found);
    localiseTimes(dialog);
    if (!dialog.open) dialog.showModal();
    found.querySelector("[data-peek-body]").focus();
    watch(found);
    measure(found, found.querySelector("[data-peek-body]"));
  };
  for (const [place, button] of buttons.entries()) {
    button.hidden = false;
    button.addEventListener("click", () => show(place));
  }
  dialog.addEventListener("click", (event) => {
    const step = event.target.closest("[data-peek-step]");
    if (step) show(at + Number(step.dataset.peekStep));
    if (event.target.closest("[data-peek-close]")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.replaceChildren();
    linkOf(buttons[at])?.focus();
  });
}

async function read(url) {
  try {
    const answer = await fetch(url);
    if (!answer.ok || answer.redirected) return null;
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    return found.querySelector("[data-peek-content]");
  } catch {
    return null;
  }
}

// Nothing is approved before its end was on the screen.
function watch(content) {
  const button = content.querySelector("[data-peek-approves]");
  if (!button) return;
  const ends = new Map([[content.querySelector("[data-peek-end]"), button]]);
  watchEnds(ends, { root: content.querySelector("[data-peek-body]") }, () => {
    button.disabled = false;
    content.querySelector("[data-peek-unread]").hidden = true;
  });
}

const linkOf = (button) => button?.closest("[data-item]").querySelector("[data-item-link]");
