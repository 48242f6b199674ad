"""The card of a proposal in a host of MCP Apps: a sandboxed frame, and messages to and fro."""

from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, expect

from agents.approval import lifecycle
from agents.models import Approval
from agents.surfaces.mcp.apps import card
from agents.surfaces.mcp.asking import Asked
from agents.surfaces.mcp.callers import Caller
from agents.surfaces.mcp.calling import answer_call
from agents.surfaces.mcp.profiles import find_profile
from tests import factories
from tests.browser.conftest import REPORT

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
HOST, VIEW = "http://host.example", "http://view.example"
# What a host has to allow a card that declares no domain (MCP Apps, UI resources).
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data:; media-src 'self' data:; connect-src 'none'; frame-src 'none'; "
    "object-src 'none'; base-uri 'self'"
)
PAGE = f"""<!DOCTYPE html><title>A host</title><body style="margin:0">
<iframe id="view" sandbox="allow-scripts" style="border:0;width:100%;height:600px"></iframe>
<script>
  const view = document.getElementById("view");
  window.heard = []; window.answers = {{}};
  window.tell = (message) => view.contentWindow.postMessage({{jsonrpc: "2.0", ...message}}, "*");
  window.addEventListener("message", (event) => {{
    if (event.source !== view.contentWindow) return;
    window.heard.push(event.data);
    const answer = window.answers[event.data.method];
    if (event.data.id !== undefined && answer) window.tell({{id: event.data.id, result: answer}});
  }});
  window.begin = (context, capabilities) => {{
    window.answers["ui/initialize"] = {{
      protocolVersion: "2026-01-26", hostInfo: {{name: "host", version: "1"}},
      hostCapabilities: capabilities, hostContext: context,
    }};
    window.answers["ui/open-link"] = {{}};
    view.src = "{VIEW}/card";
  }};
</script>"""


@dataclass
class Host:
    """A page that shows a card as a host does, and what the card told it."""

    page: Page
    complaints: list[str] = field(default_factory=list)

    def begin(self, capabilities=None, **context):
        given = {"openLinks": {}} if capabilities is None else capabilities
        self.page.evaluate("([context, able]) => window.begin(context, able)", [context, given])
        self.wait_for("ui/notifications/initialized")

    def tell(self, method, **params):
        message = {"method": method, "params": params}
        self.page.evaluate("(message) => window.tell(message)", message)

    def heard(self, method):
        heard = self.page.evaluate("() => window.heard")
        return [one for one in heard if one.get("method") == method]

    def wait_for(self, method):
        script = "(name) => window.heard.some((one) => one.method === name)"
        self.page.wait_for_function(script, arg=method)
        return self.heard(method)[-1]

    @property
    def card(self):
        return self.page.frame_locator("#view")


@pytest.fixture
def host(chromium):
    context = chromium.new_context(viewport={"width": 420, "height": 700})
    page = context.new_page()
    made = Host(page)
    page.on("console", lambda it: made.complaints.append(it.text) if it.type == "error" else None)
    page.on("pageerror", lambda error: made.complaints.append(str(error)))
    page.add_init_script(REPORT)
    headers = {"Content-Type": "text/html; charset=utf-8"}
    asked = []

    def serve(route):
        asked.append(route.request.url)
        if route.request.url == f"{HOST}/":
            route.fulfill(body=PAGE, headers=headers)
        elif route.request.url == f"{VIEW}/card":
            sent = {**headers, "Content-Security-Policy": POLICY}
            route.fulfill(body=card.document(), headers=sent)
        else:
            route.abort()

    context.route("**/*", serve)
    page.goto(f"{HOST}/")
    yield made
    context.close()
    assert set(asked) <= {f"{HOST}/", f"{VIEW}/card"}
    assert made.complaints == []


@pytest.fixture
def propose(actor, inbox):
    """Propose a reply as a client that shows cards; return what its host is answered."""

    def propose(body="Here is the offer.", subject="A question"):
        message = factories.make_message(inbox, subject=subject)
        arguments = {
            "thread_id": message.thread.public_id, "body_or_draft_id": body, "idempotency_key": "k",
        }  # fmt: skip
        caller = Caller(actor, find_profile("mail"))
        asked = Asked(caller, "send_reply", arguments, "2025-11-25", shows_cards=True)
        return answer_call(asked).model_dump(by_alias=True, mode="json", exclude_none=True)

    return propose


def test_a_card_shows_what_would_leave_and_opens_the_page_where_it_is_decided(host, propose):
    result = propose()
    approval = Approval.objects.get()
    host.begin(theme="light")
    hello = host.heard("ui/initialize")[0]["params"]
    assert hello["protocolVersion"] == "2026-01-26"
    assert hello["appCapabilities"] == {"availableDisplayModes": ["inline"]}
    host.tell("ui/notifications/tool-input", arguments={"body_or_draft_id": "something else"})
    host.tell("ui/notifications/tool-result", **result)
    shown = host.card
    expect(shown.locator("#state")).to_have_text("Waiting")
    expect(shown.locator("h1")).to_have_text("Reply")
    expect(shown.locator("#facts")).to_contain_text("ada@customer.example")
    expect(shown.locator("#body")).to_contain_text("Here is the offer.")
    expect(shown.locator("body")).not_to_contain_text("something else")
    shown.get_by_role("button", name="Review and decide").click()
    opened = host.wait_for("ui/open-link")["params"]["url"]
    assert opened.endswith(f"/{approval.public_id}/")
    assert Approval.objects.get().state == "waiting"
    # It has asked the host for nothing else.
    told = {one["method"] for one in host.page.evaluate("() => window.heard")}
    assert told == {
        "ui/initialize", "ui/notifications/initialized", "ui/notifications/size-changed",
        "ui/open-link",
    }  # fmt: skip


def test_hostile_words_stay_words(host, propose):
    attack = "<img src=x onerror=parent.postMessage('pwned','*')><script>alert(1)</script>"
    result = propose(f"{attack} hello", subject=attack)
    host.begin()
    host.tell("ui/notifications/tool-result", **result)
    expect(host.card.locator("#body")).to_contain_text(attack)
    expect(host.card.locator("#facts")).to_contain_text(attack)
    assert host.card.locator("#card img, #card script").count() == 0
    assert "pwned" not in host.page.evaluate("() => window.heard")


def test_the_state_is_followed_where_the_host_carries_calls(host, propose, reviewer):
    result = propose()
    approval = Approval.objects.get()
    host.page.clock.install()
    host.begin({"openLinks": {}, "serverTools": {}})
    host.tell("ui/notifications/tool-result", **result)
    expect(host.card.locator("#state")).to_have_text("Waiting")
    lifecycle.reject(approval=approval, by=reviewer, reason="Not <b>today</b>.")
    answer = {"structuredContent": {"approval_id": approval.public_id, "state": "rejected",
                                    "note": "Not <b>today</b>."}}  # fmt: skip
    host.page.evaluate("(it) => { window.answers['tools/call'] = it; }", answer)
    host.page.clock.run_for(16000)
    expect(host.card.locator("#state")).to_have_text("Rejected")
    expect(host.card.locator("#note")).to_have_text("Not <b>today</b>.")
    asked = host.heard("tools/call")[0]["params"]
    assert asked == {"name": "get_approval", "arguments": {"approval_id": approval.public_id}}
    host.page.clock.run_for(60000)
    assert len(host.heard("tools/call")) == 1


def test_it_speaks_german_and_wears_the_hosts_colours(host, propose):
    result = propose()
    host.begin(
        theme="dark", locale="de-AT",
        styles={"variables": {"--color-background-primary": "rgb(1, 2, 3)", "x; }": "evil"}},
    )  # fmt: skip
    host.tell("ui/notifications/tool-result", **result)
    expect(host.card.locator("#open")).to_have_text("Prüfen und entscheiden")
    body = host.card.locator("body")
    expect(body).to_have_css("background-color", "rgb(1, 2, 3)")
    assert body.evaluate("(it) => getComputedStyle(document.documentElement).colorScheme") == "dark"
    host.tell("ui/notifications/host-context-changed", theme="light", locale="en")
    expect(host.card.locator("#open")).to_have_text("Review and decide")


def test_what_was_done_at_once_failed_or_was_stopped_says_so(host):
    host.begin()
    host.tell("ui/notifications/tool-result", content=[], structuredContent={})
    expect(host.card.locator("h1")).to_have_text("Done. Nothing of it waits for anyone.")
    host.tell("ui/notifications/tool-result", content=[], isError=True)
    expect(host.card.locator("h1")).to_have_text("It did not work, and nothing waits for anyone.")
    host.tell("ui/notifications/tool-cancelled", reason="<b>")
    expect(host.card.locator("h1")).to_have_text("The call was stopped.")
    assert not host.card.locator("#open").is_visible()


def test_only_its_host_is_listened_to_and_no_other_address_opened(host, propose):
    result = propose()
    result["_meta"]["chancery/proposal"]["review_url"] = "javascript:alert(1)"
    host.begin()
    # A message that the card sends itself, as something injected might.
    host.card.locator("body").evaluate(
        "(it, message) => window.postMessage({jsonrpc: '2.0', ...message}, '*')",
        {"method": "ui/notifications/tool-cancelled", "params": {}},
    )
    host.tell("ui/notifications/tool-result", **result)
    expect(host.card.locator("#state")).to_have_text("Waiting")
    assert not host.card.locator("#open").is_visible()


def test_requests_of_the_host_are_answered(host):
    host.begin()
    for number, method in enumerate(("ping", "ui/resource-teardown", "tools/list"), 90):
        host.page.evaluate("(it) => window.tell(it)", {"id": number, "method": method})
    script = "() => window.heard.filter((one) => one.id >= 90).length === 3"
    host.page.wait_for_function(script)
    answers = [one for one in host.page.evaluate("() => window.heard") if one.get("id", 0) >= 90]
    assert [("result" in one, "error" in one) for one in answers] == [
        (True, False), (True, False), (False, True),
    ]  # fmt: skip


def test_it_is_as_tall_as_it_tells_and_never_too_wide(host, propose):
    result = propose("word " * 900, subject="A" * 300)
    host.begin()
    host.tell("ui/notifications/tool-result", **result)
    expect(host.card.locator("#cut")).to_be_visible()
    for width in (320, 420, 900):
        host.page.set_viewport_size({"width": width, "height": 700})
        body = host.card.locator("body")
        assert body.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    tall = body.evaluate("() => document.documentElement.getBoundingClientRect().height")
    assert host.heard("ui/notifications/size-changed")[-1]["params"]["height"] >= tall - 1
