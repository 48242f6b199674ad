// Buttons that copy what a part of the page says. Where the page came over plain http from another
// machine, browsers have no clipboard for scripts: then the text is selected, and copied as by hand.
const SHOWN = 2000;

export function startCopying(root) {
  for (const form of root.querySelectorAll("form[data-stays]")) {
    form.addEventListener("submit", (event) => send(event, form));
  }
  for (const button of root.querySelectorAll("[data-copies]")) {
    button.hidden = false;
    button.addEventListener("click", () => copy(button));
  }
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copies);
  let done = false;
  try {
    await navigator.clipboard.writeText(source.textContent);
    done = true;
  } catch {
    done = copySelected(source);
  }
  if (!done) return;
  const words = button.dataset.words || button.textContent;
  button.dataset.words = words;
  button.textContent = button.dataset.done;
  document.getElementById("live").textContent = button.dataset.done;
  window.setTimeout(() => (button.textContent = words), SHOWN);
}

function copySelected(source) {
  window.getSelection().selectAllChildren(source);
  return document.execCommand("copy");
}

// The page shows what it will not show again, so it stays: what came of it is told by a part of the
// page that changes by itself.
async function send(event, form) {
  event.preventDefault();
  const said = new FormData(form, event.submitter);
  event.submitter.disabled = true;
  try {
    const answer = await fetch(form.action, { method: "POST", body: said });
    form.hidden = answer.ok;
    event.submitter.disabled = answer.ok;
  } catch {
    event.submitter.disabled = false;
  }
}
