"""A mail and the proposal that answers it are one matter: one row, decided and taken back as one."""

import pytest
from django.utils import timezone

from agents.approval.lifecycle import approve, edit_and_approve, reject, send_back, undo
from agents.job_handlers import record_failed
from agents.models import Approval, Receipt
from agents.operations.snoozing import snooze_approval
from inbox.models import Activity, ActivityChange, Submission
from tests import factories
from tests.agents.admin.desk import make_activity, propose

pytestmark = pytest.mark.django_db


def make_mail(inbox):
    """Make a mail that came in, and its activity."""
    message = factories.make_message(inbox, subject="Where is the bike?", sender_name="Ada")
    return make_activity(message, summary="She asks where the bike is.")


def make_matter():
    """Make a mail and the proposal that answers it."""
    lantern = factories.make_lantern()
    mail = make_mail(lantern["inbox"])
    approval = propose(lantern["actor"], mail.message.thread)
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    return {**lantern, "reviewer": reviewer, "mail": mail, "approval": approval}


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_matter)


@pytest.fixture
def mail(own_rows, db):
    return own_rows["mail"]


@pytest.fixture
def approval(own_rows, db):
    return own_rows["approval"]


@pytest.fixture
def queue(client, reviewer):
    client.force_login(reviewer)

    def read(**query):
        return client.get("/admin/", query).context

    return read


def rows(context):
    return [(row.kind, row.what) for row in context["page"].rows]


def counts(context):
    return {tab["key"]: tab["count"] for tab in context["tabs"]}


ANSWER = ("approval", "Re: Where is the bike?")
MAIL = ("activity", "Where is the bike?")


def test_the_row_is_the_proposal_and_says_what_came_in(queue, approval, client):
    context = queue()
    [row] = context["page"].rows
    assert (row.kind, row.url) == ("approval", f"/admin/review/{approval.public_id}/")
    assert (row.answers.who, row.answers.gist) == ("Ada", "She asks where the bike is.")
    text = client.get("/admin/").content.decode()
    assert "She asks where the bike is." in text


@pytest.mark.parametrize(
    ("tab", "expected"),
    [("needs-you", [ANSWER]), ("waiting", [ANSWER]), ("surfaced", []), ("done", [])],
)
def test_each_tab_has_it_once_and_counts_it_once(queue, approval, tab, expected):
    context = queue(tab=tab)
    assert rows(context) == expected
    assert counts(context) == {
        "needs-you": "1", "waiting": "1", "surfaced": "0", "quarantine": "0", "noted": "0",
        "done": "",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("query", "is_found"),
    [
        ({"q": "bike she asks"}, True),
        ({"q": "lantern clerk bike"}, False),
        ({"q": "clerk bike"}, True),
        ({"q": "deadline"}, True),
        ({"sender": "customer.example"}, True),
        ({"urgency": "normal"}, True),
        ({"urgency": "high"}, False),
        ({"kind": "approval"}, True),
        ({"kind": "activity"}, False),
    ],
)
def test_search_and_filters_look_at_both(queue, approval, query, is_found):
    assert rows(queue(**query)) == ([ANSWER] if is_found else [])


def test_what_is_put_off_is_put_off_as_one(queue, approval, reviewer):
    later = timezone.now() + timezone.timedelta(hours=3)
    snooze_approval(approval=approval, by=reviewer, until=later)
    assert rows(queue()) == []
    assert counts(queue())["needs-you"] == "0"
    assert rows(queue(snoozed="yes")) == [ANSWER]


def test_a_quota_that_holds_the_proposal_leaves_the_mail_in_the_queue(queue, approval):
    Approval.objects.update(held_by="agent")
    assert rows(queue()) == [MAIL]
    assert rows(queue(held="yes")) == [ANSWER]


def test_a_mail_in_quarantine_stays_there(queue, approval, mail, reviewer):
    Activity.objects.update(status="quarantined")
    assert rows(queue(tab="quarantine")) == [MAIL]
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    assert Activity.objects.get().status == "quarantined"


def test_approving_closes_the_mail_with_a_receipt(queue, approval, mail, reviewer):
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    mail.refresh_from_db()
    assert mail.status == "processed"
    assert rows(queue()) == []
    assert rows(queue(tab="done")) == [ANSWER]
    receipt = Receipt.objects.get(tool="update_activities")
    assert receipt.approval == approval.public_id
    assert receipt.actor == f"person:{reviewer.pk}"
    assert receipt.result["activity_ids"] == [mail.public_id]
    assert approval.public_id in receipt.reason


def test_an_edited_answer_closes_it_too(approval, mail, reviewer):
    draft = approval.submission.draft
    edit_and_approve(
        approval=approval, by=reviewer, subject=draft.subject, body="It is here.", to=draft.to,
        cc=draft.cc, bcc=draft.bcc,
    )  # fmt: skip
    mail.refresh_from_db()
    assert mail.status == "processed"


def test_one_undo_brings_both_back(queue, approval, mail, reviewer):
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    undo(approval=approval, by=reviewer)
    mail.refresh_from_db()
    assert mail.status == "surfaced"
    assert rows(queue()) == [ANSWER]
    receipt = Receipt.objects.get(tool="undo_activity_change")
    assert (receipt.approval, receipt.result) == (approval.public_id, {"status": "surfaced"})


def test_undo_by_its_button_on_the_page_brings_both_back(client, queue, approval, mail, reviewer):
    queue()
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    client.post(f"/admin/review/{approval.public_id}/undo/")
    assert rows(queue()) == [ANSWER]
    mail.refresh_from_db()
    assert mail.status == "surfaced"


def test_what_somebody_moved_since_stays_where_it_was_put(approval, mail, reviewer):
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    Activity.objects.update(status="archived")
    undo(approval=approval, by=reviewer)
    mail.refresh_from_db()
    assert mail.status == "archived"
    assert ActivityChange.objects.count() == 1


@pytest.mark.parametrize("decide", [reject, send_back])
def test_what_is_not_approved_leaves_the_mail_its_own_row(queue, approval, reviewer, decide):
    words = {"reason" if decide is reject else "feedback": "Too long."}
    decide(approval=approval, by=reviewer, **words)
    assert rows(queue()) == [MAIL]
    assert Activity.objects.get().status == "surfaced"


def test_a_mail_closed_before_stays_as_it_was(approval, mail, reviewer):
    Activity.objects.update(status="archived")
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    undo(approval=approval, by=reviewer)
    mail.refresh_from_db()
    assert mail.status == "archived"


def test_nothing_is_closed_where_the_call_cannot_run(approval, mail, reviewer, agent):
    agent.grants.all().delete()
    with pytest.raises(Exception, match="no longer has access"):
        approve(approval=approval, by=reviewer, sha256=approval.sha256)
    mail.refresh_from_db()
    assert mail.status == "surfaced"


def test_a_message_that_was_not_sent_opens_it_again(queue, approval, mail, reviewer):
    approve(approval=approval, by=reviewer, sha256=approval.sha256)
    Submission.objects.update(state="sending")
    Submission.objects.update(state="failed")
    for _ in range(2):
        record_failed({"submission_id": approval.submission_id})
    assert rows(queue()) == [MAIL]
    assert Receipt.objects.filter(tool="undo_activity_change").count() == 1
    assert rows(queue(tab="done")) == [ANSWER]
