// The command palette: Ctrl+K, or Cmd+K, lists what this page does and the places there are; typing
// narrows it, or searches for what was typed. Enter does the one that is marked.
import { keyOf, labelOf, shownControls, use } from "./keys.js";

export function startPalette() {
  const dialog = document.querySelector("dialog[data-palette]");
  if (!dialog) return;
  const field = dialog.querySelector("input");
  const list = dialog.querySelector("[role=listbox]");
  let found = [];
  let at = 0;
  const mark = (to) => {
    at = found.length ? (to + found.length) % found.length : 0;
    for (const [place, option] of [...list.children].entries()) option.setAttribute("aria-selected", String(place === at));
    list.children[at]?.scrollIntoView({ block: "nearest" });
    field.setAttribute("aria-activedescendant", list.children[at]?.id || "");
  };
  const fill = () => {
    found = [...matching(commands(dialog), field.value), ...searches(dialog, field.value)];
    list.replaceChildren(...found.map(option));
    mark(0);
  };
  const run = (place) => {
    const chosen = found[place];
    if (!chosen) return;
    dialog.close();
    chosen.run();
  };
  document.addEventListener("keydown", (event) => {
    const isOurs = event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    if (!isOurs || document.querySelector("dialog[open]:not([data-palette])")) return;
    event.preventDefault();
    if (dialog.open) {
      dialog.close();
      return;
    }
    field.value = "";
    dialog.showModal();
    fill();
    field.focus();
  });
  field.addEventListener("input", fill);
  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) mark(at + step);
    else if (event.key === "Enter" && !event.isComposing) run(at);
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", (event) => run([...list.children].indexOf(event.target.closest("[role=option]"))));
}

// What can be pressed by a key on this page, and the links of the person's own menu.
function commands(dialog) {
  const keyed = shownControls().filter((one) => !one.closest("dialog"));
  const own = [...document.querySelectorAll("header .menu-sheet :is(a, button)")];
  const all = [...keyed.map((one) => [one, keyOf(one)]), ...own.map((one) => [one, ""])];
  return all.map(([control, key]) => ({ label: labelOf(control), key, run: () => use(control) })).filter((one) => one.label);
}

function matching(all, typed) {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = all.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const begins = ({ label }) => (words.length && label.toLowerCase().startsWith(words[0]) ? 0 : 1);
  return fits.sort((one, other) => begins(one) - begins(other));
}

function searches(dialog, typed) {
  const words = typed.trim();
  if (!words) return [];
  return [...dialog.querySelectorAll("a[data-searches]")].map((link) => ({
    label: link.dataset.searches.replace("{words}", words),
    key: "",
    run: () => window.location.assign(link.href + encodeURIComponent(words)),
  }));
}

function option({ label, key }, place) {
  const line = document.createElement("li");
  line.id = `palette-${place}`;
  line.setAttribute("role", "option");
  const words = document.createElement("span");
  words.textContent = label;
  line.append(words);
  for (const part of key.split(" ").filter(Boolean)) {
    line.append(" ", Object.assign(document.createElement("kbd"), { textContent: part.replace("Escape", "Esc") }));
  }
  return line;
}
