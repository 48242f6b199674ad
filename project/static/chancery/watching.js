// While an item is open: others are told that somebody is here, and the page learns who else is, and
// whether somebody decided. Then its actions are switched off; what was typed stays.
const ASK_EVERY = 4000;
const TELL_EVERY = 10000;

export function startWatching(root) {
  for (const element of root.querySelectorAll("[data-watch-url]")) watch(element);
}

function watch(element) {
  let told = 0;
  let over = false;
  const look = async () => {
    over ||= !element.isConnected;
    if (document.hidden || over) return;
    if (Date.now() - told >= TELL_EVERY) {
      told = Date.now();
      await tell(element);
    }
    over = await ask(element);
  };
  const again = async () => {
    await look();
    if (!over) window.setTimeout(again, ASK_EVERY);
  };
  document.addEventListener("visibilitychange", look);
  document.addEventListener("input", (event) => {
    const form = event.target.closest?.("[data-writes]");
    if (!element.isConnected || !form || form.dataset.writes === "1") return;
    form.dataset.writes = "1";
    told = Date.now();
    tell(element);
  });
  again();
}

async function tell(element) {
  const token = document.querySelector("[name=csrfmiddlewaretoken]");
  if (!token) return;
  const said = new FormData();
  said.set("csrfmiddlewaretoken", token.value);
  if (document.querySelector("[data-writes='1']")) said.set("writing", "1");
  try {
    await fetch(element.dataset.presenceUrl, { method: "POST", body: said });
  } catch {
    // The server may be starting anew; the next time will do.
  }
}

async function ask(element) {
  try {
    const answer = await fetch(element.dataset.watchUrl, { headers: { Accept: "application/json" } });
    if (!answer.ok) return false;
    const found = await answer.json();
    say(element.querySelector("[data-others]"), found.others || "");
    const over = found.state !== element.dataset.watchState || (found.changes || []).length > 0;
    if (over) close(element, found);
    return over;
  } catch {
    return false;
  }
}

function say(place, words) {
  if (!place || place.textContent === words) return;
  place.textContent = words;
  place.hidden = !words;
}

function close(element, found) {
  // What was decided before, of another item, can be undone all the same.
  for (const actions of element.parentElement.querySelectorAll(":scope > [data-decides]")) {
    for (const button of actions.querySelectorAll("button")) button.disabled = true;
    actions.addEventListener("submit", (event) => event.preventDefault());
  }
  const gone = element.querySelector("[data-gone]");
  gone.querySelector("[data-gone-words]").textContent = found.words || "";
  gone.querySelector("[data-gone-changes]").replaceChildren(
    ...(found.changes || []).map((change) => Object.assign(document.createElement("li"), { textContent: change })),
  );
  gone.hidden = false;
  element.querySelector("[data-others]").hidden = true;
}
