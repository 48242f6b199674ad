// How an item was looked at, told with the decision on it: how long the page was in front, and of which
// items the end of the message, and of what it answers, was on the screen.
import { watchEnds } from "./seen.js";

// `scrolled` is the part of the place that scrolls, where that is not the page.
export function measure(place, scrolled = null) {
  const look = { end: new Set(), source: new Set(), before: 0, since: document.hidden ? 0 : Date.now() };
  const ends = new Map([...place.querySelectorAll("[data-end]")].map((end) => [end, end.dataset]));
  // The bar at the foot of a page covers what is below it; that of a look stands outside what scrolls.
  const bar = scrolled ? null : place.querySelector(".decide");
  if (ends.size) watchEnds(ends, { bar, root: scrolled }, ({ end, of }) => look[end].add(of));
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) look.before = shownFor(look);
    look.since = document.hidden ? 0 : Date.now();
  });
  // Before any other part takes the form that is sent.
  place.addEventListener("submit", (event) => tell(event.target, look), true);
}

const shownFor = (look) => look.before + (look.since ? Date.now() - look.since : 0);

function tell(form, look) {
  if (!form.elements.shown) return;
  form.elements.shown.value = shownFor(look);
  form.elements.end_seen.value = [...look.end].join(" ");
  form.elements.source_seen.value = [...look.source].join(" ");
}
