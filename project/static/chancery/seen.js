// What was read: the end of it was on the screen for a moment, above whatever covers the page below
// it and in a window that shows. What only flies past was not read.
const DWELL_MS = 400;

// `ends` has a value for the element at each end, which `onSeen` is called with; once, if it says so.
export function watchEnds(ends, { bar, root = null }, onSeen) {
  const inSight = new Map();
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
    onSeen(ends.get(end));
    leave(end);
    ends.delete(end);
    observer.unobserve(end);
  };
  const start = () => {
    observer?.disconnect();
    [...inSight.keys()].forEach(leave);
    const covered = bar ? bar.offsetHeight + (parseFloat(getComputedStyle(bar).bottom) || 0) : 0;
    const options = { root, rootMargin: `0px 0px -${Math.ceil(covered)}px 0px`, threshold: 0.99 };
    observer = new IntersectionObserver((entries) => {
      for (const entry of entries) (entry.isIntersecting ? look : leave)(entry.target);
    }, options);
    for (const end of ends.keys()) observer.observe(end);
  };
  document.addEventListener("visibilitychange", () => !document.hidden && [...inSight.keys()].forEach(look));
  if (bar) new ResizeObserver(start).observe(bar);
  else start();
}
