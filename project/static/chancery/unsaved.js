// What was typed and not sent yet: whoever leaves the page is asked first.
const FORMS = "form[data-writes], form[data-editor-form]";
let sends = false;

export function startGuarding(root) {
  root.addEventListener("submit", (event) => (sends ||= !event.defaultPrevented));
  window.addEventListener("pageshow", guardAgain);
  window.addEventListener("beforeunload", (event) => {
    if (!sends && isUnsaved()) event.preventDefault();
  });
}

// What was typed is sent by a script: leaving the page loses nothing.
export function letGo() {
  sends = true;
}

export function guardAgain() {
  sends = false;
}

export function isUnsaved() {
  return [...document.querySelectorAll(FORMS)].some(isChanged);
}

function isChanged(form) {
  const fields = [...form.elements].filter((one) => one.matches("textarea, input:not([type=hidden], [type=checkbox])"));
  return fields.some((one) => one.value !== one.defaultValue);
}
