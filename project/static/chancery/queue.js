// The queue while it is open: what is ticked, where one came back from, and what is new.
const LEFT = "chancery-queue-left";

export function startQueue(root) {
  const page = root.querySelector("[data-queue]");
  if (!page) return;
  startPicking(page);
  startReturning(page);
  const fresh = page.querySelector("[data-fresh][data-every]");
  if (fresh) later(fresh, page);
}

// -- ticking -------------------------------------------------------------------------------------
function startPicking(page) {
  const boxes = [...page.querySelectorAll("[data-select]")];
  const number = page.querySelector("[data-picked]");
  if (!number) return;
  const all = page.querySelector("[data-pick-all]");
  const unfilter = page.querySelector("[data-unfilter]");
  let last = null;
  const tell = () => {
    const picked = boxes.filter((box) => box.checked).length;
    number.textContent = picked;
    // Escape unticks first, and only then goes on to the filters.
    if (unfilter) unfilter.dataset.key = picked ? "" : "Escape";
  };
  const pick = (checked) => {
    for (const box of boxes) box.checked = checked;
    tell();
  };
  for (const box of boxes) {
    box.addEventListener("click", (event) => {
      if (event.shiftKey && last) {
        const [from, to] = [boxes.indexOf(last), boxes.indexOf(box)].sort((a, b) => a - b);
        for (const between of boxes.slice(from, to + 1)) between.checked = box.checked;
      }
      last = box;
      tell();
    });
  }
  all.hidden = false;
  all.addEventListener("click", () => pick(true));
  page.querySelector("[data-pick-none]").addEventListener("click", () => pick(false));
  window.addEventListener("pageshow", tell);
  tell();
}

// -- coming back ---------------------------------------------------------------------------------
function startReturning(page) {
  const links = [...page.querySelectorAll("[data-item-link]")];
  for (const link of links) {
    link.addEventListener("click", () => {
      const item = link.closest("[data-item]");
      sessionStorage.setItem(LEFT, JSON.stringify([item.id, links.indexOf(link)]));
    });
  }
  const asked = location.hash.startsWith("#item-") ? location.hash.slice(1) : "";
  const [id, at] = asked ? [asked, -1] : JSON.parse(sessionStorage.getItem(LEFT) || '["", -1]');
  sessionStorage.removeItem(LEFT);
  if (!id || !links.length) return;
  // Where it was decided meanwhile, the one that took its place; the last, where that is on another page.
  const link = document.getElementById(id)?.querySelector("[data-item-link]") || links.at(Math.min(at, links.length - 1));
  const goThere = () => {
    link?.focus();
    link?.closest("[data-item]").scrollIntoView({ block: "nearest" });
  };
  goThere();
  // The browser's own way to a place in the page takes the focus away, once all is loaded.
  if (asked && document.readyState !== "complete") {
    window.addEventListener("load", () => window.setTimeout(goThere), { once: true });
  }
}

// -- what is new ---------------------------------------------------------------------------------
function later(line, page) {
  window.setTimeout(() => look(line, page), 1000 * Number(line.dataset.every));
}

async function look(line, page) {
  if (!document.hidden) {
    try {
      const answer = await fetch(location.pathname + location.search);
      if (answer.ok && !answer.redirected) tellNew(line, page, await answer.text());
    } catch {
      // The server may be starting anew; ask again.
    }
  }
  later(line, page);
}

function tellNew(line, page, text) {
  const found = new DOMParser().parseFromString(text, "text/html");
  for (const count of found.querySelectorAll(".tabs .count")) {
    const here = document.getElementById(count.id);
    if (here) here.textContent = count.textContent;
  }
  const fresh = [...found.querySelectorAll("[data-item]")].filter((item) => !document.getElementById(item.id));
  const last = page.querySelector("[data-item]:last-child");
  const ends = last && found.getElementById(last.id);
  // What moved up from the next page, since others were decided, is not new.
  const new_ = fresh.filter((item) => !ends || ends.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_PRECEDING);
  const words = new_.length ? line.dataset.words.replace("{n}", new_.length) : "";
  if (line.textContent === words) return;
  line.replaceChildren();
  if (!words) return;
  const link = document.createElement("a");
  link.href = location.pathname + location.search;
  link.textContent = words;
  line.append(link);
}
