"""Every page of the demo, in German: none says a sentence of ours in English."""

import html
import re
from collections import Counter, deque
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import Resolver404, resolve
from django.utils import timezone

from agents import receipts
from agents.models import (
    Agent,
    Memory,
    NoticeBundle,
    NoticeDelivery,
    NoticeSettings,
    Receipt,
    Schedule,
)
from agents.operations.granting.device_flows import start_flow
from agents.operations.setup.demo import make_demo
from agents.operations.webhooks.endpoints import create_webhook
from inbox.actor import Actor
from inbox.background.jobs import run_due
from inbox.models import Account, Activity, Inbox, Message, ReplyPolicy, Workspace
from inbox.reasons import phrase
from tests import factories
from tests.cases import made_up
from tests.ports import CLOSED_PORT
from tests.project.english_words import english_in
from tests.project.failures import give_up, import_what_is_no_mail, leave_at_the_server

OF_A_KIND = made_up(8) // 4 or 1
# Names and words of the demo that stand without a mark that they are somebody's.
GIVEN = {
    "reviewer", "Calendar", "› Calendar", "Order", "now.",
    "What came in overnight, what goes out today, who is on the phone.",
}  # fmt: skip
# What the crawl comes by that failed, in German.
FAILED = ("Er schlägt seit ", "ist keine E-Mail", "gibt sie aber nicht heraus", "Keine Antwort: no")
_LINK = re.compile(r'<a\b[^>]*?\shref="([^"]+)"([^>]*)>')


def make_rows():
    made = make_demo()
    run_due()
    return {"demo": made}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


@pytest.fixture
def demo(own_rows, db):
    return own_rows["demo"]


@pytest.fixture
def german(demo):
    client = Client(headers={"accept-language": "de"})
    client.force_login(User.objects.get(username=demo.keys.username))
    return client


def crawl(client: Client, start: str):
    """Yield the addresses of pages of the admin from `start` on, and what they hold."""
    waiting, known = deque([start]), {start}
    seen: Counter[str] = Counter()
    while waiting:
        place = waiting.popleft()
        kind = kind_of(place)
        if kind is None or seen[kind] >= OF_A_KIND:
            continue
        seen[kind] += 1
        response = client.get(place)
        if (
            not response.get("Content-Type", "").startswith("text/html")
            or response.status_code != 200
        ):
            continue
        page = response.content.decode()
        yield place, page
        for link, rest in _LINK.findall(page):
            target = urldefrag(urljoin(place, html.unescape(link))).url
            if "download" not in rest and target not in known:
                known.add(target)
                waiting.append(target)


def kind_of(place: str) -> str | None:
    parts = urlsplit(place)
    if parts.netloc or not parts.path.startswith("/admin/"):
        return None
    try:
        found = resolve(parts.path)
    except Resolver404:
        return None
    return f"{found.view_name}{'?' if parts.query else ''}"


@pytest.fixture
def failures(demo, settings, tmp_path):
    """A webhook that is given up, a notice that was not told, mail that could not be taken in."""
    settings.WEBHOOK_ALLOW = frozenset({"127.0.0.1"})
    user, inbox = User.objects.get(username=demo.keys.username), Inbox.objects.first()
    endpoint, _ = create_webhook(
        workspace=inbox.workspace, by=factories.person_actor(user), facts=[],
        url=f"http://127.0.0.1:{CLOSED_PORT}/hook",
    )  # fmt: skip
    give_up(Message.objects.filter(inbox=inbox).first(), endpoint)
    import_what_is_no_mail(inbox, tmp_path)
    leave_at_the_server(inbox)
    wish = NoticeSettings.objects.create(user=user, mail_address="rhea@lantern.example")
    bundle = NoticeBundle.objects.create(settings=wish, key="k", created_at=timezone.now())
    NoticeDelivery.objects.create(
        bundle=bundle, way="mail", state="failed", outcome=phrase("No answer: %(why)s", why="no")
    )


def test_no_page_of_the_demo_says_a_sentence_of_ours_in_english(german, failures):
    troubles, seen, unsaid = [], 0, set(FAILED)
    for place, page in crawl(german, "/admin/"):
        seen += 1
        unsaid -= {words for words in unsaid if words in html.unescape(page)}
        troubles += [f"{place}: {words}" for words in sorted(english_in(page, given=GIVEN))]
    assert not troubles, "\n".join(troubles)
    assert seen > 100
    assert unsaid == set()


# -- receipts ------------------------------------------------------------------------------------


@pytest.fixture
def owner(demo):
    workspace = Workspace.objects.get()
    client = Client(headers={"accept-language": "de"})
    client.force_login(factories.make_person_user(workspace, "owner", "olga"))
    return client


def change_settings(owner: Client) -> None:
    """Post the forms of an owner's settings, one of each kind."""
    agent, account, workspace = Agent.objects.get(), Account.objects.get(), Workspace.objects.get()
    place = f"/admin/agents/agent/{agent.pk}"
    actor = Actor("agent", agent.pk, agent.name, (workspace.pk,), frozenset({account.pk}))
    flow = start_flow(actor=actor)[0]
    policy = ReplyPolicy.objects.first()
    silent = Activity.objects.filter(autonomy_tier__in=[1, 2]).first()
    memories = list(Memory.objects.values_list("pk", flat=True))
    chosen = {"_selected_action": memories}
    for url, given in {
        f"{place}/settings/": {"description": "Writes"},
        f"{place}/tokens/": {"scopes": "inbox:read", "expires_at": "2099-07-01T09:00"},
        f"{place}/pause/": {"to": "paused"},
        f"{place}/pause/ ": {"to": "active"},
        f"{place}/stop/": {"revoke": "on"},
        "/admin/device/decide/": {
            "code": flow.user_code,
            "action": "grant",
            "account": account.pk,
        },
        "/admin/agents/webhookendpoint/add/": {
            "workspace": workspace.pk,
            "url": "https://hooks.example.com/x",
            "description": "",
        },
        f"/admin/inbox/account/{account.pk}/change/": {"action": "pause"},
        f"/admin/inbox/replypolicy/{policy.pk}/change/": {
            "workspace": workspace.pk,
            "name": policy.name,
            "source": f"{policy.source}\n# Seen by Olga\n",
        },
        f"/admin/oversight/{silent.public_id}/check/": {"verdict": "right"},
        "/admin/agents/memory/": {"action": "delete_chosen", **chosen},
        "/admin/agents/memory/?deleted=1": {"action": "restore_chosen", **chosen},
    }.items():
        answer = owner.post(url.strip(), given)
        assert answer.status_code in {200, 302}, (url, answer.status_code)
    run_due()


CODES = {
    "set_up_agent", "paused_agent", "resumed_agent", "stopped_agent", "stopped_by", "set_up_by",
    "decided_request", "saved_version", "silence_right", "done_by",
}  # fmt: skip


def test_what_people_change_in_settings_stands_in_german_on_its_receipts(owner):
    before = set(Receipt.objects.values_list("pk", flat=True))
    change_settings(owner)
    made = list(Receipt.objects.exclude(pk__in=before).order_by("pk"))
    assert {one["code"] for receipt in made for one in receipt.reasons} >= CODES
    for receipt in made:
        page = owner.get(f"/admin/agents/receipt/{receipt.pk}/change/").content.decode()
        assert (receipt.tool, english_in(page)) == (receipt.tool, set())
        assert receipt.reason not in page or not receipt.reason
    assert receipts.verify(Workspace.objects.get()) == []


def test_what_came_due_too_late_is_german_in_the_list_of_schedules(owner):
    due = Schedule.objects.first()
    Schedule.objects.filter(pk=due.pk).update(state="fired", late_by=3700, error="")
    listed = owner.get("/admin/agents/schedule/").content.decode()
    assert "Es lief 1:01:40 zu spät" in listed
    # As 0.2.0 wrote it: the words, and no codes.
    Schedule.objects.filter(pk=due.pk).update(error="not_found: There is no such thread")
    assert (
        "not_found: There is no such thread"
        in owner.get("/admin/agents/schedule/").content.decode()
    )
