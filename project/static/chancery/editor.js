// The editor of policies, taxonomies and schemas: line numbers, indenting, what is wrong while one
// writes, and trying it on past mail. Without this script the form does the same by its buttons.
import { localiseTimes } from "./times.js";

const WAIT_MS = 500;

export function startEditors(root) {
  for (const form of root.querySelectorAll("[data-editor-form]")) start(form);
}

function start(form) {
  const field = form.querySelector("[data-editor] textarea");
  const numbers = form.querySelector("[data-numbers]");
  for (const hint of form.querySelectorAll("[data-with-script]")) hint.hidden = false;
  const number = () => {
    const count = field.value.split("\n").length;
    if (numbers.childElementCount === count) return;
    numbers.replaceChildren(...Array.from({ length: count }, (_, at) => {
      const line = document.createElement("span");
      line.textContent = String(at + 1);
      return line;
    }));
  };
  const check = checker(form, field, numbers);
  field.addEventListener("input", () => {
    number();
    check();
  });
  field.addEventListener("scroll", () => {
    numbers.scrollTop = field.scrollTop;
  });
  field.addEventListener("keydown", (event) => onKey(event, field));
  form.querySelector("[data-try]").addEventListener("click", (event) => {
    event.preventDefault();
    tryIt(form, event.currentTarget);
  });
  number();
}

function onKey(event, field) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  if (event.key === "Tab" && !event.shiftKey) {
    event.preventDefault();
    insert(field, "  ");
  } else if (event.key === "Enter") {
    const line = field.value.slice(0, field.selectionStart).split("\n").pop();
    const indent = /^[ ]*/.exec(line)[0];
    if (!indent) return;
    event.preventDefault();
    insert(field, `\n${indent}`);
  }
}

function insert(field, text) {
  // The old command keeps the field's own undoing; where it is gone, the text is set.
  if (document.execCommand?.("insertText", false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function checker(form, field, numbers) {
  const state = form.querySelector("[data-state]");
  let timer = 0;
  let asked = 0;
  const show = (answer) => {
    state.classList.toggle("is-bad", !answer.ok);
    field.setAttribute("aria-invalid", String(!answer.ok));
    for (const line of numbers.children) line.classList.remove("is-bad");
    if (answer.ok) {
      state.textContent = state.dataset.fine;
      return;
    }
    const where = answer.line ? [goTo(field, state, answer.line), answer.field ? ` ${answer.field}: ` : ": "] : [];
    state.replaceChildren(...where, answer.message);
    numbers.children[answer.line - 1]?.classList.add("is-bad");
  };
  const ask = async () => {
    const turn = ++asked;
    try {
      const answer = await fetch(form.dataset.checkUrl, { method: "POST", body: new FormData(form) });
      if (answer.ok && turn === asked) show(await answer.json());
    } catch {
      // Saving says it as well.
    }
  };
  return () => {
    window.clearTimeout(timer);
    timer = window.setTimeout(ask, WAIT_MS);
  };
}

function goTo(field, state, line) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "link";
  button.textContent = `${state.dataset.lineWords} ${line}`;
  button.addEventListener("click", () => {
    const lines = field.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    field.focus();
    field.setSelectionRange(start, start + (lines[line - 1] || "").length);
    field.scrollTop = Math.max(0, (line - 5) * (field.scrollHeight / lines.length));
  });
  return button;
}

async function tryIt(form, button) {
  const place = form.querySelector("[data-trial]");
  if (place.getAttribute("aria-busy") === "true") return;
  const note = document.createElement("p");
  note.className = "quiet";
  note.setAttribute("role", "status");
  note.textContent = place.dataset.busy;
  place.replaceChildren(note);
  place.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(button.formAction, {
      method: "POST", body: new FormData(form), headers: { "X-Fragment": "1" },
    });
    if (!answer.ok) throw new Error(answer.statusText);
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    place.replaceChildren(...found.body.childNodes);
    localiseTimes(place);
  } catch {
    note.textContent = place.dataset.failed;
    place.replaceChildren(note);
  }
  place.removeAttribute("aria-busy");
  place.focus({ preventScroll: true });
  place.scrollIntoView({ block: "start" });
}
