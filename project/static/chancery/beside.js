// The message beside what it rests on: `m` goes from mark to mark of the message and shows the words
// that each rests on; on a narrow screen `o`, or a swipe, goes from one to the other and back.
import { reveal } from "./keys.js";
import { measure } from "./measuring.js";

const SWIPE = { least: 70, across: 45 };
let from = null;
let readAt = 0;

export function startBeside(root) {
  const bench = root.querySelector("[data-beside]");
  if (!bench) return;
  measure(bench);
  const message = bench.querySelector("[data-message]");
  root.querySelector("[data-next-mark]")?.addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
    next(bench, message);
  });
  message?.addEventListener("click", (event) => {
    const mark = event.target.closest("mark[data-marks]");
    if (mark) show(bench, mark);
  });
  bench.querySelector("[data-other-side]")?.addEventListener("click", (event) => {
    event.preventDefault();
    event.stopPropagation();
    turn(bench);
  });
  bench.addEventListener("touchstart", (event) => (from = event.touches.length === 1 ? event.touches[0] : null), { passive: true });
  bench.addEventListener("touchend", (event) => onSwipe(bench, event.changedTouches[0]), { passive: true });
}

// From the mark that is shown to the one behind it; after the last comes the first.
function next(bench, message) {
  const marks = [...(message?.querySelectorAll(":is(.sealed-head, .sealed-body) mark[data-marks]") || [])];
  if (!marks.length) return;
  const at = marks.findIndex((one) => one.classList.contains("is-shown"));
  const mark = marks[(at + 1) % marks.length];
  mark.tabIndex = -1;
  mark.focus({ preventScroll: true });
  mark.scrollIntoView({ block: "center" });
  show(bench, mark);
}

function show(bench, mark) {
  for (const one of bench.querySelectorAll(".is-shown")) one.classList.remove("is-shown");
  mark.classList.add("is-shown");
  const names = mark.dataset.marks.split(" ");
  const source = names.flatMap((name) => [...bench.querySelectorAll(`:is(.evidence, .opened-file) mark[data-marks~="${name}"]`)])[0];
  if (source) {
    reveal(source);
    source.classList.add("is-shown");
    if (isWide()) source.scrollIntoView({ block: "center" });
  }
  tell(bench, names);
}

function tell(bench, names) {
  const tip = bench.querySelector("[data-mark-tip]");
  if (!tip) return;
  const said = names.map((name) => bench.querySelector(`[data-claim="${name}"], [data-flag="${name}"]`)).filter(Boolean);
  tip.replaceChildren(...said.map(copied));
  tip.hidden = !said.length;
}

function copied(entry) {
  const line = document.createElement("p");
  const words = (entry.matches("details") ? entry.querySelector("summary") : entry).cloneNode(true);
  for (const one of words.querySelectorAll("[id]")) one.removeAttribute("id");
  line.append(...words.childNodes);
  return line;
}

function turn(bench) {
  const thread = document.getElementById("thread");
  if (!thread) return;
  const isThere = thread.getBoundingClientRect().top < window.innerHeight / 2;
  if (isThere) {
    window.scrollTo({ top: readAt });
    bench.querySelector("[data-other-side]").focus({ preventScroll: true });
    return;
  }
  readAt = window.scrollY;
  thread.scrollIntoView({ block: "start" });
  thread.focus({ preventScroll: true });
}

function onSwipe(bench, to) {
  if (!from || isWide() || !window.getSelection()?.isCollapsed) return;
  const [across, along] = [to.clientX - from.clientX, to.clientY - from.clientY];
  from = null;
  if (Math.abs(across) >= SWIPE.least && Math.abs(along) <= SWIPE.across) turn(bench);
}

const isWide = () => window.matchMedia("(min-width: 64rem)").matches;
