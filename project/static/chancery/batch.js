// A batch: what was on the screen to its end counts as read, and only that is approved with the others.
// What one ticks or unticks by hand stays so.
import { measure } from "./measuring.js";
import { watchEnds } from "./seen.js";

export function startBatch(root) {
  const form = root.querySelector("[data-batch]");
  const boxes = form ? [...form.querySelectorAll("[data-read]")] : [];
  if (!boxes.length) return;
  measure(form);
  const tell = () => tellNumber(form, boxes);
  const byHand = new Set();
  form.addEventListener("change", (event) => {
    if (boxes.includes(event.target)) byHand.add(event.target);
    tell();
  });
  const ends = new Map(boxes.map((box) => [box.closest("label"), box]));
  watchEnds(ends, { bar: form.querySelector(".batch-actions") }, (box) => {
    if (byHand.has(box)) return;
    box.checked = true;
    tell();
  });
  // A page that comes out of the browser's cache comes with its boxes as they were left.
  window.addEventListener("pageshow", tell);
  tell();
}

function tellNumber(form, boxes) {
  const taken = boxes.filter((box) => box.closest("[data-item]").querySelector("[data-select]").checked);
  const read = taken.filter((box) => box.checked).length;
  const button = form.querySelector("[data-approves]");
  const words = button.dataset.words.replace("{n}", read).replace("{total}", taken.length);
  button.querySelector("[data-approves-words]").textContent = words;
  button.disabled = read === 0;
}
