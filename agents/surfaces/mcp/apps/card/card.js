"use strict";
// A view of MCP Apps (2026-01-26): shows what was proposed, and opens the page where it is decided.
// Whatever comes from the host is text and is shown as text; nothing here decides anything.
(() => {
  const REFRESH = 15000;
  const words = JSON.parse(document.getElementById("words").textContent);
  const waits = new Map();
  let asked = 0, language = "en", host = {}, shown = null, timer = 0;

  const part = (id) => document.getElementById(id);
  const say = (name) => (words[language] || words.en)[name] || name;
  const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (method, params) => send({ method, params });

  function request(method, params) {
    asked += 1;
    send({ id: asked, method, params });
    return new Promise((resolve, reject) => waits.set(asked, { resolve, reject }));
  }

  function write(id, text) {
    part(id).textContent = text || "";
  }

  function wear(context) {
    if (!context) return;
    const root = document.documentElement;
    if (context.theme === "light" || context.theme === "dark") root.style.colorScheme = context.theme;
    const given = (context.styles && context.styles.variables) || {};
    for (const [name, value] of Object.entries(given)) {
      if (/^--[a-z0-9-]+$/.test(name) && typeof value === "string") root.style.setProperty(name, value);
    }
    const asks = String(context.locale || "").slice(0, 2).toLowerCase();
    if (words[asks]) language = asks;
    root.lang = language;
    if (shown) show(shown);
  }

  function facts(proposal) {
    const mail = proposal.mail;
    if (!mail) return (proposal.arguments || []).map((one) => [one.name, one.value]);
    return [
      [say("from"), mail.from], [say("to"), mail.to.join(", ")], [say("cc"), mail.cc.join(", ")],
      [say("bcc"), mail.bcc.join(", ")], [say("subject"), mail.subject],
      [say("files"), mail.attachments.join(", ")],
    ];
  }

  function list(id, rows, make) {
    part(id).replaceChildren(...rows.flatMap(make));
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function show(proposal) {
    shown = proposal;
    const told = proposal.texts[language] || proposal.texts.en;
    const state = part("state");
    state.textContent = say(`state_${proposal.state}`);
    state.className = "state";
    if (proposal.state === "approved") state.classList.add("state-good");
    else if (proposal.state !== "waiting") state.classList.add("state-bad");
    write("title", told.title);
    write("why", `${say("by")} ${proposal.agent}. ${told.reason}`);
    list("flags", told.flags, (flag) => {
      const row = element("li", "");
      row.className = flag.severity === "high" ? "grave" : "";
      row.append(element("strong", flag.title), flag.why);
      return [row];
    });
    const known = facts(proposal).filter(([, value]) => value);
    list("facts", known, ([name, value]) => [element("dt", name), element("dd", value)]);
    write("body", proposal.mail && proposal.mail.body);
    write("cut", proposal.mail && proposal.mail.is_cut ? say("cut") : "");
    write("note", proposal.note);
    part("leave").hidden = !/^https?:\/\//.test(proposal.review_url);
    write("open", proposal.state === "waiting" ? say("decide") : say("look"));
    write("where", `${say("where")} ${proposal.review_url}`);
    part("card").hidden = false;
    follow();
  }

  function plain(text) {
    clearTimeout(timer);
    shown = null;
    for (const id of ["state", "why", "body", "cut", "note"]) write(id, "");
    part("flags").replaceChildren();
    part("facts").replaceChildren();
    write("title", text);
    part("leave").hidden = true;
    part("card").hidden = false;
  }

  // The state is asked for again while it waits and somebody looks, where the host carries calls.
  function follow() {
    clearTimeout(timer);
    if (!shown || shown.state !== "waiting" || !host.serverTools) return;
    timer = setTimeout(async () => {
      if (document.visibilityState !== "visible") { follow(); return; }
      try {
        const call = { name: "get_approval", arguments: { approval_id: shown.approval_id } };
        const answer = (await request("tools/call", call)).structuredContent;
        if (!answer || answer.approval_id !== shown.approval_id) return;
        show({ ...shown, state: String(answer.state), note: String(answer.note || "") });
      } catch { /* It is not carried after all: the state stays the one of the call. */ }
    }, REFRESH);
  }

  function take(result) {
    const proposal = result && result._meta && result._meta["chancery/proposal"];
    if (proposal) show(proposal);
    else plain(say(result && result.isError ? "failed" : "done"));
  }

  const heard = {
    "ui/notifications/tool-result": take,
    "ui/notifications/tool-cancelled": () => plain(say("stopped")),
    "ui/notifications/host-context-changed": wear,
  };

  window.addEventListener("message", (event) => {
    const message = event.data;
    if (event.source !== window.parent || !message || message.jsonrpc !== "2.0") return;
    if (message.method === undefined) {
      const waiting = waits.get(message.id);
      waits.delete(message.id);
      if (waiting && message.error) waiting.reject(new Error(String(message.error.message)));
      else if (waiting) waiting.resolve(message.result || {});
    } else if (message.id !== undefined) {
      if (["ping", "ui/resource-teardown"].includes(message.method)) send({ id: message.id, result: {} });
      else send({ id: message.id, error: { code: -32601, message: "Method not found" } });
    } else if (Object.hasOwn(heard, message.method)) {
      heard[message.method](message.params || {});
    }
  });

  part("open").addEventListener("click", () => {
    if (shown) request("ui/open-link", { url: shown.review_url }).catch(() => part("where").focus());
  });

  new ResizeObserver(() => {
    const size = document.documentElement.getBoundingClientRect();
    if (!size.width || !size.height) return;
    notify("ui/notifications/size-changed", { width: Math.ceil(size.width), height: Math.ceil(size.height) });
  }).observe(document.documentElement);

  request("ui/initialize", {
    protocolVersion: "2026-01-26",
    appInfo: { name: "Chancery", version: "1" },
    appCapabilities: { availableDisplayModes: ["inline"] },
  }).then((answer) => {
    host = answer.hostCapabilities || {};
    wear(answer.hostContext);
    notify("ui/notifications/initialized", {});
  }, () => plain(say("failed")));
})();
