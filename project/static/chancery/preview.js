// While a letter is edited, the page shows how it differs from the sealed one; nothing is kept.
const AFTER = 700;

export function startPreviews(root) {
  for (const form of root.querySelectorAll("form[data-preview-url]")) {
    let timer = 0;
    form.addEventListener("input", () => {
      window.clearTimeout(timer);
      timer = window.setTimeout(() => show(form), AFTER);
    });
  }
}

async function show(form) {
  const said = new FormData(form);
  said.set("part", "1");
  try {
    const answer = await fetch(form.dataset.previewUrl, { method: "POST", body: said });
    if (!answer.ok) return;
    const found = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = found.querySelector("[data-preview]");
    if (fresh) form.querySelector("[data-preview]")?.replaceWith(fresh);
  } catch {
    // The next change asks again.
  }
}
