// A batch: what was on the screen to its end counts as read, and only that is approved with the others.
// What one ticks or unticks by hand stays so.
const DWELL_MS = 400;

export function startBatch(root) {
  const form = root.querySelector("[data-batch]");
  const boxes = form ? [...form.querySelectorAll("[data-read]")] : [];
  if (!boxes.length) return;
  const tell = () => tellNumber(form, boxes);
  const byHand = new Set();
  form.addEventListener("change", (event) => {
    if (boxes.includes(event.target)) byHand.add(event.target);
    tell();
  });
  watchEnds(form, boxes, (box) => {
    if (byHand.has(box)) return false;
    box.checked = true;
    tell();
    return true;
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

// Calls `onRead` once the whole end of an item has stayed in sight for a moment, above the bar with
// the buttons and in a window that shows: what only flies past was not read.
function watchEnds(form, boxes, onRead) {
  const ends = new Map(boxes.map((box) => [box.closest("label"), box]));
  const inSight = new Map();
  const bar = form.querySelector(".batch-actions");
  let observer = null;
  const look = (end) => {
    window.clearTimeout(inSight.get(end));
    inSight.set(end, window.setTimeout(() => settle(end), DWELL_MS));
  };
  const leave = (end) => {
    window.clearTimeout(inSight.get(end));
    inSight.delete(end);
  };
  const settle = (end) => {
    if (document.hidden || !inSight.has(end)) return;
    onRead(ends.get(end));
    leave(end);
    ends.delete(end);
    observer.unobserve(end);
  };
  const start = () => {
    observer?.disconnect();
    [...inSight.keys()].forEach(leave);
    const covered = bar ? bar.offsetHeight + (parseFloat(getComputedStyle(bar).bottom) || 0) : 0;
    const options = { rootMargin: `0px 0px -${Math.ceil(covered)}px 0px`, threshold: 0.99 };
    observer = new IntersectionObserver((entries) => {
      for (const entry of entries) (entry.isIntersecting ? look : leave)(entry.target);
    }, options);
    for (const end of ends.keys()) observer.observe(end);
  };
  document.addEventListener("visibilitychange", () => !document.hidden && [...inSight.keys()].forEach(look));
  if (bar) new ResizeObserver(start).observe(bar);
  else start();
}
