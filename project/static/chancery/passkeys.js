// Passkeys: a form with `data-passkey` asks the browser for one, and sends what it answers. Where the
// browser knows none, or the page has no name (https, or localhost), the form does not show. Only the
// pages with such a form load this.
startPasskeys(document);

function startPasskeys(root) {
  for (const form of root.querySelectorAll("[data-passkey]")) {
    const parts = form.dataset.passkeyWithin ? form.querySelector(form.dataset.passkeyWithin) : form;
    const able = "PublicKeyCredential" in window && !/^[\d.]+$|^\[/.test(location.hostname);
    parts.hidden = !able;
    const missing = root.querySelector("[data-passkey-missing]");
    if (missing) missing.hidden = able;
    form.querySelector("[data-passkey-go]").addEventListener("click", (event) => {
      event.preventDefault();
      go(form).catch(() => (form.querySelector("[data-passkey-failed]").hidden = false));
    });
  }
}

async function go(form) {
  form.querySelector("[data-passkey-failed]").hidden = true;
  const options = form.dataset.passkeyOptions ? JSON.parse(form.dataset.passkeyOptions) : await fetchOptions(form);
  const asked = { ...options, publicKey: decoded(options.publicKey) };
  const creates = form.dataset.passkey === "create";
  const made = await (creates ? navigator.credentials.create(asked) : navigator.credentials.get(asked));
  form.querySelector("[data-passkey-answer]").value = JSON.stringify(encoded(made));
  form.noValidate = true;
  form.submit();
}

async function fetchOptions(form) {
  const answer = await fetch(form.action, { headers: { accept: "application/json" } });
  if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
  return (await answer.json()).request_options;
}

function decoded(key) {
  const ids = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));
  const user = key.user ? { user: { ...key.user, id: bytes(key.user.id) } } : {};
  return {
    ...key,
    ...user,
    challenge: bytes(key.challenge),
    allowCredentials: ids(key.allowCredentials),
    excludeCredentials: ids(key.excludeCredentials),
  };
}

function encoded(made) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (made.response[name]) response[name] = text(made.response[name]);
  }
  if (made.response.getTransports) response.transports = made.response.getTransports();
  return {
    id: made.id,
    rawId: text(made.rawId),
    type: made.type,
    response,
    clientExtensionResults: made.getClientExtensionResults(),
  };
}

function bytes(words) {
  const plain = atob(words.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

function text(buffer) {
  const letters = String.fromCharCode(...new Uint8Array(buffer));
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
