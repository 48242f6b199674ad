"""Receipts as people read them: found by what is looked for, and checked in their chain."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from agents import receipts
from agents.admin import receipt_queries
from agents.admin.receipt_queries import ReceiptCriteria, read_link
from agents.dispatching import dispatch
from agents.models import Receipt
from agents.receipts import ReceiptEntry
from inbox.models import Message, Role
from inbox.reasons import own
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = pytest.mark.django_db
LIST = "/admin/agents/receipt/"
HOSTILE = "<script>alert(1)</script>\u202e"


def sign_in(workspace, role=Role.VIEWER):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


def found(client, query=""):
    return [receipt.tool for receipt in client.get(LIST + query).context["page"].receipts]


@pytest.fixture
def several(actor):
    for tool, outcome in (("first", "ok"), ("second", "error"), ("third", "held")):
        receipts.record(
            actor,
            ReceiptEntry(
                tool, {"words": HOSTILE, "long": "x" * 500}, own(f"because {tool}"), outcome=outcome
            ),
        )


def test_they_stand_newest_first_and_hostile_words_do_nothing(workspace, several):
    client = sign_in(workspace)
    assert found(client) == ["third", "second", "first"]
    newest = Receipt.objects.latest("pk")
    text = client.get(f"{LIST}{newest.pk}/change/").content.decode()
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text
    assert "U+202E" in text
    assert "a text of 500 characters, stored as a hash" in text


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?tool=second", ["second"]), ("?outcome=held", ["third"]), ("?q=because first", ["first"]),
        ("?outcome=nonsense&day=never", ["third", "second", "first"]), ("?day=2001-01-01", []),
        ("?day=9999-12-31", ["third", "second", "first"]),
        ("?q=%25", []), ("?agent=agt_none", []), ("?q=a%00b", []), ("?tool=sec%00ond", []),
    ],
)  # fmt: skip
def test_they_are_found_by_what_is_looked_for(workspace, several, query, expected):
    assert found(sign_in(workspace), query) == expected


def test_they_are_found_by_agent_and_by_day(workspace, several, agent, reviewer):
    receipts.record(factories.person_actor(reviewer), ReceiptEntry("other"))
    client = sign_in(workspace)
    assert found(client, f"?agent={agent.public_id}") == ["third", "second", "first"]
    assert len(found(client, f"?day={timezone.now():%Y-%m-%d}")) == 4


def test_pages_go_on_without_gap_or_repetition(workspace, several, monkeypatch):
    monkeypatch.setattr(receipt_queries, "SHOWN", 2)
    client = sign_in(workspace)
    page = client.get(LIST)
    assert found(client, page.context["older_url"]) == ["first"]
    assert found(client) == ["third", "second"]


def test_what_is_looked_for_far_back_is_found_in_steps(workspace, several, monkeypatch):
    monkeypatch.setattr(receipt_queries, "LOOKED_THROUGH", 2)
    client = sign_in(workspace)
    page = client.get(f"{LIST}?tool=first")
    assert page.context["page"].receipts == []
    assert "Search older items" in page.content.decode()
    assert found(client, page.context["older_url"]) == ["first"]


def open_at(workspace, *moments):
    """Write receipts that were opened then, oldest first."""
    for moment in moments:
        Receipt.objects.create(
            workspace=workspace, actor="system:0", tool=f"at {moment:%H:%M}", decision="allow",
            opened_at=moment,
        )  # fmt: skip


def test_a_day_long_past_is_found_at_once_and_ends_with_the_reader_s_midnight(
    workspace, actor, monkeypatch
):
    monkeypatch.setattr(receipt_queries, "LOOKED_THROUGH", 2)
    hours = (5, 6, 20, 28, 30)
    open_at(workspace, *(datetime(2026, 3, 8, tzinfo=UTC) + timedelta(hours=h) for h in hours))
    for number in range(5):
        receipts.record(actor, ReceiptEntry(f"today {number}"))
    client = sign_in(workspace)
    # Clocks go forward on that day, which has 23 hours.
    client.cookies["tz"] = "America/New_York"
    page = client.get(f"{LIST}?day=2026-03-08")
    assert [one.tool for one in page.context["page"].receipts] == ["at 20:00", "at 06:00"]
    assert found(client, page.context["older_url"]) == ["at 05:00"]
    assert found(client, "?day=2026-03-09") == ["at 06:00", "at 04:00"]
    assert "No matches" in client.get(f"{LIST}?day=2026-03-01").text


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL reads a small table whole")
def test_a_day_is_found_by_an_index(workspace, several):
    rows = receipt_queries._of_day(
        Receipt.objects.filter(workspace=workspace), ReceiptCriteria(day="2026-03-08"), UTC
    )
    assert "receipt_by_time" in rows.values("pk").explain()


def test_a_link_that_holds_says_so_with_its_neighbours(workspace, several):
    first, second, third = Receipt.objects.order_by("seq")
    for receipt in (first, second, third):
        assert read_link(receipt).holds
    text = sign_in(workspace).get(f"{LIST}{second.pk}/change/").content.decode()
    for neighbour in (first, third):
        assert f"{LIST}{neighbour.pk}/change/" in text
    assert "✓ Its content matches the hash it was closed with." in text


def test_a_link_that_was_changed_is_shown_as_broken(several):
    first, second, third = Receipt.objects.order_by("seq")
    second.reason = "for another reason"
    assert not read_link(second).own_holds
    second.hash = receipts.hash_of(second)
    link = read_link(second)
    assert (link.own_holds, link.before_holds, link.after_holds) == (True, True, False)
    third.prev_hash = first.hash
    assert not read_link(third).before_holds


def test_what_it_is_about_is_linked_where_one_may_see_it(workspace, actor, inbox):
    approval = propose(actor, factories.make_message(inbox).thread)
    place = f"{LIST}{approval.receipt_id}/change/"
    text = sign_in(workspace).get(place).content.decode()
    assert f"/admin/review/{approval.public_id}/" in text
    assert f"/admin/threads/{approval.submission.thread.public_id}/" in text


def test_a_stranger_sees_none(several):
    client = sign_in(factories.make_workspace(), Role.OWNER)
    assert found(client) == []
    receipt = Receipt.objects.latest("pk")
    assert client.get(f"{LIST}{receipt.pk}/change/").status_code in {302, 404}


def test_nothing_is_changed_here(workspace, several):
    client = sign_in(workspace, Role.OWNER)
    receipt = Receipt.objects.latest("pk")
    assert client.post(f"{LIST}{receipt.pk}/change/", {"reason": "x"}).status_code == 403


def test_the_list_asks_as_often_for_many_as_for_few(
    workspace, actor, django_assert_max_num_queries
):
    client = sign_in(workspace)
    for number in range(60):
        receipts.record(actor, ReceiptEntry(f"tool {number}"))
    with django_assert_max_num_queries(7):
        client.get(LIST)


def test_what_a_call_showed_to_the_agent_is_named_as_far_as_one_sees_it(workspace, actor, inbox):
    message = factories.make_message(inbox, subject="<b>The north face</b>")
    named = {"account_id": inbox.account.public_id, "email_id": message.public_id}
    answer = dispatch.call("email_get", named, actor)
    receipt = Receipt.objects.with_public_id(answer.receipt_id).get()
    client = sign_in(workspace)
    text = client.get(reverse("admin:agents_receipt_change", args=[receipt.pk])).content.decode()
    assert 'id="shown"' in text
    assert reverse("message", args=[message.public_id]) in text
    assert "&lt;b&gt;The north face" in text
    Message.objects.filter(pk=message.pk).update(workspace=factories.make_workspace())
    text = client.get(reverse("admin:agents_receipt_change", args=[receipt.pk])).content.decode()
    shown = text.partition('id="shown"')[2].partition("</section>")[0]
    assert reverse("message", args=[message.public_id]) not in shown
