// The keyboard. What a key does stands in the page: `data-key="a"` on a link, button, summary or
// field makes that key follow, press, open or focus it; `data-key="g q"` is two keys in turn. In a
// `[data-list]`, j and k go from `[data-item]` to `[data-item]`, x ticks its box, and a control with
// `data-item-key="p"` is that item's own: the key is for the item that has the focus; where none has,
// for the last, unless the list is `data-focused-only`. `?` shows all that the page knows: the words
// are those of the controls, or their `data-key-label`.
const CHORD_MS = 1500;
let chord = "";
let chordUntil = 0;

export function startKeys() {
  document.addEventListener("keydown", onKey);
  document.addEventListener("click", onJump);
  for (const button of document.querySelectorAll("[data-shows-keys]")) {
    button.addEventListener("click", showKeys);
  }
  for (const button of document.querySelectorAll("[data-closes]")) {
    button.addEventListener("click", () => button.closest("dialog")?.close());
  }
}

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  // Leaving the page now might keep what was just decided from arriving.
  if (document.documentElement.getAttribute("aria-busy") === "true") return;
  if (event.key === "Escape") {
    // One press closes one thing.
    if (!event.repeat) onEscape(event);
    return;
  }
  if (isWriting(event.target) || event.key === "Shift") return;
  // The space bar presses what has the focus, where that can be pressed.
  if (event.key === " " && event.target.matches?.("button, summary, input")) return;
  const key = event.key === " " ? "Space" : event.key;
  const pressed = event.shiftKey && /^[A-Z]$/i.test(key) ? `Shift+${key.toUpperCase()}` : key;
  const name = Date.now() < chordUntil ? `${chord} ${pressed}` : pressed;
  chordUntil = 0;
  // A key that is held down walks through a list, and presses nothing again and again.
  if (event.repeat && !["j", "k"].includes(name)) return;
  if (act(name)) {
    event.preventDefault();
    return;
  }
  if (shownControls().some((control) => keyOf(control).startsWith(`${pressed} `))) {
    chord = pressed;
    chordUntil = Date.now() + CHORD_MS;
  }
}

function act(name) {
  // Under a dialog nothing is pressed, not even under the list of keys.
  if (document.querySelector("dialog[open]")) {
    const inDialog = [...document.querySelectorAll("dialog[open] [data-key]")].filter(isShown).find((one) => keyOf(one) === name);
    if (inDialog) use(inDialog);
    return Boolean(inDialog);
  }
  if (name === "?") {
    showKeys();
    return true;
  }
  const control = shownControls().find((one) => keyOf(one) === name || isAlso(one, name));
  if (control) {
    use(control);
    return true;
  }
  return inItem(name) || inList(name);
}

// `data-key-also="y Shift+A"` names further keys for the same, none of two in turn.
const isAlso = (control, name) => (control.dataset.keyAlso || "").split(" ").includes(name);

function inItem(name) {
  const own = (item) => [...item.querySelectorAll("[data-item-key]")].find((one) => one.dataset.itemKey === name && isShown(one));
  const items = [...document.querySelectorAll("[data-list] [data-item]")].filter(isShown);
  const item = items.find((one) => one.contains(document.activeElement)) || items.find((one) => one.matches(":target")) || items.filter((one) => !one.closest("[data-focused-only]")).at(-1);
  const control = item && own(item);
  control?.click();
  return Boolean(control);
}

export function use(control) {
  if (control.matches("input:not([type=checkbox], [type=radio], [type=submit]), textarea, select")) {
    control.focus();
    control.select?.();
    return;
  }
  control.click();
  const shown = control.matches("summary") && control.parentElement.open;
  const within = (some) => control.parentElement.querySelector(some);
  const field = shown && (within("[autofocus], [data-first]") || within("textarea, select, input:not([type=hidden]), a, button"));
  if (field) field.focus({ preventScroll: Boolean(control.closest(".decide")) });
}

// A link within the page opens what it leads to, and puts the focus there.
function onJump(event) {
  const link = event.target.closest?.("a[href^='#']");
  const place = link && document.getElementById(link.hash.slice(1));
  if (!place) return;
  const fold = place.matches("details") ? place : place.querySelector(":scope > details");
  if (fold) fold.open = true;
  reveal(place);
  (place.matches("details") ? place.querySelector("summary") : place).focus();
}

// What is folded opens around a place.
export function reveal(place) {
  for (let fold = place.parentElement?.closest("details"); fold; fold = fold.parentElement?.closest("details")) {
    fold.open = true;
  }
}

function onEscape(event) {
  if (document.querySelector("dialog[open]")) return;
  const unfolded = event.target.closest?.("details[open][data-closable], .menu[open]");
  if (unfolded) {
    unfolded.open = false;
    unfolded.querySelector("summary").focus({ preventScroll: Boolean(unfolded.closest(".decide")) });
    return;
  }
  if (isWriting(event.target)) {
    event.target.blur();
    return;
  }
  const back = shownControls().find((one) => keyOf(one) === "Escape");
  if (back) use(back);
}

function inList(name) {
  const items = [...document.querySelectorAll("[data-list] [data-item]")].filter(isShown);
  if (!items.length || !["j", "k", "x", "Shift+X", "Home", "End"].includes(name)) return false;
  const at = items.findIndex((item) => item.contains(document.activeElement));
  if (name === "x" || name === "Shift+X") {
    const box = items[at]?.querySelector("[data-select], .action-select");
    const options = { bubbles: true, cancelable: true, shiftKey: name !== "x" };
    box?.dispatchEvent(new MouseEvent("click", options));
    return Boolean(box);
  }
  const to = { j: at + 1, k: at < 0 ? items.length - 1 : at - 1, Home: 0, End: items.length - 1 }[name];
  const item = items[Math.max(0, Math.min(to, items.length - 1))];
  (item.querySelector("[data-item-link]") || item.querySelector("a[href]") || item).focus();
  item.scrollIntoView({ block: "nearest" });
  return true;
}

function showKeys() {
  const dialog = document.querySelector("dialog[data-keys]");
  if (!dialog || dialog.open) return;
  const rows = dialog.querySelector("[data-keys-here]");
  rows.replaceChildren();
  const seen = new Set();
  for (const control of shownControls()) {
    const key = keyOf(control);
    if (seen.has(key)) continue;
    seen.add(key);
    rows.append(row(key, labelOf(control)));
  }
  for (const control of document.querySelectorAll("[data-item-key]")) {
    const key = control.dataset.itemKey;
    if (seen.has(key)) continue;
    seen.add(key);
    rows.append(row(key, labelOf(control)));
  }
  for (const part of dialog.querySelectorAll("[data-only-with]")) {
    part.hidden = !document.querySelector(part.dataset.onlyWith);
  }
  dialog.showModal();
}

function row(key, label) {
  const line = document.createElement("div");
  const term = document.createElement("dt");
  for (const part of key.split(" ")) {
    const cap = document.createElement("kbd");
    cap.textContent = part.replace("Escape", "Esc");
    term.append(cap, " ");
  }
  const words = document.createElement("dd");
  words.textContent = label;
  line.append(term, words);
  return line;
}

export function labelOf(control) {
  const words = control.dataset.keyLabel || control.getAttribute("aria-label");
  if (words) return words;
  const copy = control.cloneNode(true);
  for (const part of copy.querySelectorAll("kbd, svg, .count")) part.remove();
  return (copy.textContent || control.placeholder || "").trim().replace(/\s+/g, " ");
}

export function keyOf(control) {
  return control.dataset.key;
}

export function shownControls() {
  return [...document.querySelectorAll("[data-key]:not([data-key=''])")].filter(isShown);
}

const isShown = (element) => element.checkVisibility?.() !== false && !element.disabled;
const isWriting = (element) =>
  element.isContentEditable ||
  element.matches?.("textarea, select, input:not([type=checkbox], [type=radio], [type=submit], [type=button])");
