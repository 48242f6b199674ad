// While a message is edited, the page shows how it differs from the sealed one; nothing is kept.
const AFTER = 700;

export function startPreviews(root) {
  for (const form of root.querySelectorAll("form[data-preview-url]")) {
    let timer = 0;
    let turn = 0;
    form.addEventListener("input", () => {
      window.clearTimeout(timer);
      const mine = ++turn;
      timer = window.setTimeout(() => show(form, () => mine === turn), AFTER);
    });
  }
}

async function show(form, isNewest) {
  const said = new FormData(form);
  said.set("part", "1");
  try {
    const answer = await fetch(form.dataset.previewUrl, { method: "POST", body: said });
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (!answer.ok || !isNewest()) return;
    const fresh = found.querySelector("[data-preview]");
    if (fresh) form.querySelector("[data-preview]")?.replaceWith(fresh);
  } catch {
    // The next change asks again.
  }
}
