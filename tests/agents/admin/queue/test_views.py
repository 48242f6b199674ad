"""The queue: what it shows, in which order, to whom, at what price."""

import re

import pytest

from agents.approval.lifecycle import approve
from agents.models import Approval
from inbox.models import Activity, ActivityStatus, Submission
from tests import factories
from tests.agents.admin.desk import make_activity, make_desk, propose
from tests.sending_tools import check_proposed

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(inbox, actor):
    return make_desk(inbox, actor)


@pytest.fixture
def page(client, reviewer):
    client.force_login(reviewer)

    def read(**query):
        response = client.get("/admin/", query)
        assert response.status_code == 200
        return response

    return read


def whats(response):
    return [row.what for row in response.context["page"].rows]


def test_the_queue_is_the_first_page_of_the_admin(page, desk):
    response = page()
    assert "chancery/queue/queue.html" in [template.name for template in response.templates]
    assert len(response.context["page"].rows) == 3


@pytest.mark.parametrize(
    ("tab", "expected"),
    [
        ("waiting", ["Re: A question"]),
        ("surfaced", ["About surfaced", "About needs_review"]),
        ("quarantine", ["About quarantined"]),
        ("done", []),
        ("nonsense", ["Re: A question", "About surfaced", "About needs_review"]),
    ],
)
def test_each_tab_holds_its_own(page, desk, tab, expected):
    assert whats(page(tab=tab)) == expected


def test_a_row_says_to_whom_a_letter_would_go_from_its_sealed_bytes(page, desk):
    desk["approval"].submission.draft.__class__.objects.update(subject="Something else")
    row = page(tab="waiting").context["page"].rows[0]
    assert (row.who, row.what, row.agent) == ("ada@customer.example", "Re: A question", "Clerk")


def test_what_is_urgent_comes_before_what_can_wait(page, inbox, actor):
    calm, burning = (factories.make_message(inbox, subject=name) for name in ("calm", "burning"))
    make_activity(calm, urgency="low", autonomy_tier=3)
    make_activity(burning, urgency="high")
    propose(actor, factories.make_message(inbox, subject="a letter").thread)
    assert whats(page()) == ["burning", "Re: a letter", "calm"]


def test_the_newest_of_a_thread_stands_for_those_before_it(page, inbox):
    first = factories.make_message(inbox, subject="first invoice")
    make_activity(first, status="needs_review")
    other = factories.make_message(inbox, subject="another matter")
    make_activity(other, status="needs_review")
    reminder = factories.make_message(inbox, subject="reminder", thread=first.thread)
    make_activity(reminder, status="needs_review")
    assert whats(page()) == ["another matter", "reminder", "first invoice"]


@pytest.mark.parametrize("status", ["processed", "needs_review"])
def test_what_presses_is_not_put_behind_for_something_newer_that_does_not(page, inbox, status):
    first = factories.make_message(inbox, subject="outage")
    make_activity(first, urgency="high")
    make_activity(factories.make_message(inbox, subject="another"), status="needs_review")
    newer = factories.make_message(inbox, subject="thanks", thread=first.thread)
    make_activity(newer, status=status)
    assert whats(page())[0] == "outage"


def test_an_approval_that_is_about_to_expire_comes_first(page, inbox, actor, settings):
    make_activity(factories.make_message(inbox, subject="burning"), urgency="high")
    settings.APPROVAL_HOURS = 2
    propose(actor, factories.make_message(inbox, subject="a letter").thread)
    assert whats(page()) == ["Re: a letter", "burning"]


def test_pages_follow_one_another_without_gap_or_repetition(page, inbox, actor):
    for number in range(48):
        message = factories.make_message(inbox, subject=f"n{number}")
        make_activity(message, urgency=("low", "normal", "high")[number % 3])
    for number in range(3):
        propose(actor, factories.make_message(inbox, subject=f"letter{number}").thread)
    response = page()
    seen = whats(response)
    while after := response.context["page"].after:
        response = page(after=after)
        seen += whats(response)
    assert len(seen) == len(set(seen)) == 51


@pytest.mark.parametrize(
    ("fate", "told"),
    [
        ("unknown", (["waiting", "needs-you"], "sent or not?")),
        ("failed", (["done"], "not sent")),
        ("sent", (["done"], "sent")),
    ],
)
def test_what_became_of_an_approved_letter_is_told(page, desk, reviewer, fate, told):
    tabs, words = told
    approval = desk["approval"]
    approve(approval=approval, by=reviewer, sha256=approval.submission.sha256)
    Submission.objects.update(state="sending")
    Submission.objects.update(state=fate)
    for tab in ("waiting", "needs-you", "done"):
        response = page(tab=tab)
        assert ("Re: A question" in whats(response)) is (tab in tabs)
        if tab in tabs:
            assert re.search(rf">\s*{re.escape(words)}\s*</span>", response.content.decode())


@pytest.mark.parametrize("tab", ["needs-you", "done"])
def test_a_page_costs_the_same_queries_however_much_there_is(
    page, inbox, actor, tab, django_assert_max_num_queries
):
    for number in range(4):
        message = factories.make_message(inbox, subject=f"n{number}")
        make_activity(message, status=ActivityStatus.SURFACED if number % 2 else "archived")
    propose(actor, message.thread)
    Approval.objects.update(state="waiting" if tab == "needs-you" else "rejected")
    page(tab=tab)
    with django_assert_max_num_queries(20) as few:
        page(tab=tab)
    for number in range(5):
        message = factories.make_message(inbox, subject=f"m{number}")
        make_activity(message, status=ActivityStatus.SURFACED if number % 2 else "archived")
        propose(actor, message.thread, key=f"key{number}")
    check_proposed()
    with django_assert_max_num_queries(len(few.captured_queries)):
        page(tab=tab)


def test_counts_stop_at_a_hundred(page, inbox):
    message = factories.make_message(inbox)
    Activity.objects.bulk_create(
        Activity(workspace=inbox.workspace, source="note", source_id=f"n{number}", title="x", status="surfaced", created_at=message.received_at)
        for number in range(130)
    )  # fmt: skip
    tabs = {tab["name"]: tab["count"] for tab in page().context["tabs"]}
    assert tabs["Surfaced"] == "100+"
    assert tabs["Needs approval"] == "0"


def test_an_address_that_is_no_place_begins_at_the_start(page, desk):
    for after in ("x", "1.2.3", "1.2.3.4.-5", "9" * 400, "١.١.١.١.١"):
        assert len(whats(page(after=after))) == 3


def test_an_empty_queue_says_so_kindly(page, workspace):
    assert "All quiet." in page().content.decode()


def test_nothing_of_another_workspace_is_seen(client, desk):
    stranger = factories.make_person_user(factories.make_workspace())
    client.force_login(stranger)
    response = client.get("/admin/")
    assert response.context["page"].rows == ()
    assert all(tab["count"] in {"0", ""} for tab in response.context["tabs"])


def test_a_superuser_without_membership_sees_nothing(client, desk, admin_user):
    client.force_login(admin_user)
    asked_for_a_workspace = client.get("/admin/", follow=True)
    assert asked_for_a_workspace.redirect_chain
    assert "A question" not in asked_for_a_workspace.content.decode()


def test_a_person_in_two_workspaces_sees_both_marked(client, desk, reviewer):
    other = factories.make_workspace("harbour")
    reviewer.memberships.create(workspace=other, role="reviewer")
    make_activity(factories.make_message(factories.make_inbox(other), subject="From there"))
    client.force_login(reviewer)
    rows = client.get("/admin/").context["page"].rows
    assert {row.workspace for row in rows} == {"Lantern", "Harbour"}


def test_without_a_login_the_queue_asks_for_one(client, desk):
    response = client.get("/admin/")
    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")


def test_hostile_texts_are_written_as_text(page, inbox, actor):
    subject = '<img src=x onerror=alert(1)>"\u202egpj.exe'
    message = factories.make_message(
        inbox, subject=subject, sender_name="<b>Bank</b>" + "W" * 10_000
    )
    make_activity(message)
    text = page().content.decode()
    assert "<img src=x" not in text
    assert "&lt;b&gt;Bank" in text
    assert "\u202e" not in text
    assert "U+202E" in text
    assert "W" * 1000 not in text


def test_decided_ones_are_done(page, desk, reviewer):
    Approval.objects.update(state="rejected")
    assert whats(page(tab="waiting")) == []
    assert whats(page(tab="done")) == ["Re: A question"]
