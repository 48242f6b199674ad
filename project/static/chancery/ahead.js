// The next item, where a link `data-ahead` leads, is read ahead, and takes the place of this one at once when somebody goes on: by the
// key or link that leads there, or by a decision after which one goes on. Whatever is not as expected
// (an older browser, a refusal, another item in between) goes the ordinary way, page by page.
import { allowAgain, greet } from "./deciding.js";
import { guardAgain, isUnsaved, letGo } from "./unsaved.js";

// Not while the page that was asked for is still being drawn.
const AFTER_MS = 150;
// What was read longer ago is read anew, as long as somebody has the page before them.
const FRESH_MS = 120_000;
let begin = null;
let ahead = null;
let shownAt = "";

export function startAhead(startContent) {
  begin = startContent;
  document.addEventListener("click", onClick);
  document.addEventListener("submit", onSubmit);
  window.addEventListener("popstate", onBack);
}

export function readAhead() {
  ahead = null;
  const link = document.querySelector("main a[data-ahead]");
  if (link) window.setTimeout(() => read(link), AFTER_MS);
}

async function read(link) {
  if (!link.isConnected) return;
  if (!document.hidden) {
    const found = await fetchPage(link.href);
    if (!link.isConnected) return;
    ahead = found && fits(found) ? { url: link.href, found, until: Date.now() + FRESH_MS } : null;
    link.toggleAttribute("data-is-ahead", ahead !== null);
  }
  window.setTimeout(() => read(link), FRESH_MS);
}

async function fetchPage(url) {
  try {
    const answer = await fetch(url);
    if (!answer.ok || answer.redirected) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return null;
  }
}

// It has a place for its content, and needs no style or script that is not here already.
function fits(found) {
  const here = new Set([...document.querySelectorAll("link[rel=stylesheet], script[src]")].map(address));
  const wanted = [...found.querySelectorAll("link[rel=stylesheet], script[src]")].map(address);
  return Boolean(found.querySelector("main")) && wanted.every((one) => here.has(one));
}

const address = (one) => one.getAttribute("src") || one.getAttribute("href");

function isAhead(url) {
  return ahead !== null && ahead.until > Date.now() && pathOf(ahead.url) === pathOf(url);
}

const pathOf = (url) => new URL(url, document.baseURI).pathname;

function onClick(event) {
  const link = event.target.closest?.("main a[data-ahead]");
  if (!link || event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  if (!isAhead(link.href) || isUnsaved()) return;
  event.preventDefault();
  show(link.href);
}

function onSubmit(event) {
  const form = event.target;
  const goesOn = event.submitter?.value === "next" || form.hasAttribute("data-goes-on");
  if (event.defaultPrevented || !ahead || !goesOn || !form.closest("main [data-decides]")) return;
  if (event.submitter?.hasAttribute("formaction")) return;
  event.preventDefault();
  decide(form, event.submitter);
}

async function decide(form, submitter) {
  const told = await post(form, submitter);
  // What was typed went along.
  letGo();
  if (!told) {
    // Nothing was decided, or it is not known: the page that says so comes the ordinary way.
    submitAsEver(form, submitter);
    return;
  }
  if (isAhead(told.next)) show(told.next, told.line);
  else window.location.assign(told.next);
}

async function post(form, submitter) {
  try {
    const body = new FormData(form, submitter);
    // What it would say on a page of its own comes along only for one that can be shown at once.
    if (isAhead(ahead.url)) body.set("ahead", pathOf(ahead.url));
    const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
    const isTold = answer.ok && answer.headers.get("Content-Type")?.startsWith("application/json");
    return isTold ? await answer.json() : null;
  } catch {
    return null;
  }
}

function submitAsEver(form, submitter) {
  if (submitter?.name) {
    const field = Object.assign(document.createElement("input"), { type: "hidden", name: submitter.name, value: submitter.value });
    form.append(field);
  }
  form.submit();
}

// `line` tells what was decided just before, in the server's words.
function show(url, line) {
  const { found } = ahead;
  const main = document.adoptNode(found.querySelector("main"));
  if (line) main.querySelector("#live").after(...new DOMParser().parseFromString(line, "text/html").body.childNodes);
  document.querySelector("main").replaceWith(main);
  document.title = found.title;
  document.body.className = found.body.className;
  window.history.pushState(null, "", url);
  shownAt = window.location.pathname + window.location.search;
  window.scrollTo(0, 0);
  main.focus({ preventScroll: true });
  allowAgain();
  guardAgain();
  begin(main);
  greet(main);
}

// Back to what was shown before: that page is read anew.
function onBack() {
  if (shownAt && shownAt !== window.location.pathname + window.location.search) window.location.reload();
}
