// Forms that decide: sent once, by Enter or Ctrl+Enter where they say so.
export function startDeciding(root) {
  root.addEventListener("submit", onSubmit);
  root.addEventListener("keydown", onKey);
  root.addEventListener("toggle", onToggle, true);
  window.addEventListener("pageshow", (event) => event.persisted && allowAgain());
  greet(root);
}

// What a page puts the focus on, and says aloud, when it comes.
export function greet(root) {
  takeFocus(root);
  announce(root);
}

// A second press while the first is on its way would decide on what is not shown any more; and the
// second of two quick ones, on the next item before anybody has seen it.
const LAST = "chancery-decided-last";
const TWICE_MS = 300;
// Who stopped the page from going on may try again then.
const STUCK_MS = 10000;
let sent = false;

function onSubmit(event) {
  const isPreview = event.submitter?.getAttribute("formaction")?.includes("/preview/");
  if (event.defaultPrevented || isPreview || !event.target.closest("[data-decides]")) return;
  if (sent || isTwice(event.submitter?.dataset.key)) {
    event.preventDefault();
    return;
  }
  sent = true;
  document.documentElement.setAttribute("aria-busy", "true");
  window.setTimeout(allowAgain, STUCK_MS);
}

function isTwice(key) {
  const [before, at] = (sessionStorage.getItem(LAST) || " 0").split(" ");
  sessionStorage.setItem(LAST, `${key || ""} ${Date.now()}`);
  return Boolean(key) && key === before && Date.now() - Number(at) < TWICE_MS;
}

export function allowAgain() {
  sent = false;
  document.documentElement.removeAttribute("aria-busy");
}

function onKey(event) {
  if (event.key !== "Enter" || event.isComposing || event.defaultPrevented) return;
  const form = event.target.form;
  const alone = event.target.matches?.("[data-enter]") && !event.shiftKey && !event.altKey;
  const withControl = (event.ctrlKey || event.metaKey) && form?.closest("[data-ctrl-enter]");
  if (!form || !(alone || withControl)) return;
  event.preventDefault();
  // Not by the first button of the form, which may be a ready-made reason.
  const button = [...form.querySelectorAll("button:not([name]):not([formaction])")][0];
  if (form.reportValidity()) form.requestSubmit(button);
}

function onToggle(event) {
  const details = event.target;
  if (!details.open || !details.closest("[data-decides]")) return;
  const first = details.querySelector("[data-first], .choice, textarea");
  // What the bar opens stands above it, wherever the page is scrolled to.
  const isInBar = Boolean(details.closest(".decide"));
  if (first && !details.contains(document.activeElement?.closest("form"))) first.focus({ preventScroll: isInBar });
  if (!isInBar) details.scrollIntoView({ block: "nearest" });
}

function takeFocus(root) {
  const place = root.querySelector(".errorlist ~ input, [aria-invalid=true]") || root.querySelector("[data-takes-focus]");
  place?.focus({ preventScroll: place.matches("a, button") });
}

function announce(root) {
  const said = [...root.querySelectorAll("[data-announce]")].map((one) => one.innerText.trim()).filter(Boolean);
  const live = document.getElementById("live");
  // A live region speaks of what changes in it, and not of what it comes with.
  if (said.length && live) window.setTimeout(() => (live.textContent = said.join(" ").replace(/\s+/g, " ")), 250);
}
