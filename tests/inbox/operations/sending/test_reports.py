"""What comes back about sent mail, from the message to the page, the fact and the receipt."""

from pathlib import Path

import pytest

from agents.models import FactNote
from inbox.background.jobs import run_due
from inbox.models import Activity, DeliveryReport, Message, Submission
from inbox.operations.mail.incoming import receive_message
from inbox.operations.sending import reports
from tests import sending_tools
from tests.factories import make_inbox
from tests.sending_tools import fate, propose
from tests.servers import Peer, drop

pytestmark = pytest.mark.django_db
MAIL = Path(__file__).parents[2] / "returned" / "mail"
PLACEHOLDER = b"<0123456789abcdef0123456789abcdef@lantern.example>"


@pytest.fixture
def sent(actor, inbox, reviewer) -> Submission:
    submission = sending_tools.release(propose(actor, inbox, to=["ada@customer.example"]), reviewer)
    run_due()
    assert fate(submission) == "sent"
    return submission


def came_back(inbox, name: str, submission: Submission, **changes: bytes) -> Message:
    raw = (MAIL / f"{name}.eml").read_bytes()
    for old, new in changes.items():
        raw = raw.replace(old.encode(), new)
    raw = raw.replace(PLACEHOLDER, submission.message_id_header.encode())
    message = receive_message(inbox=inbox, raw=raw)
    run_due()
    return message


def told() -> list[str]:
    return [fact for fact in FactNote.objects.order_by("pk").values_list("fact", flat=True)
            if fact.startswith("submission.")]  # fmt: skip


def test_a_bounce_is_kept_beside_what_it_returns(inbox, sent):
    message = came_back(inbox, "standard", sent)
    gone, late = sent.reports.all()
    assert (gone.kind, gone.recipient, gone.status) == ("failed", "ada@customer.example", "5.1.1")
    assert (gone.message, gone.was_sent_to) == (message, True)
    assert (late.kind, late.recipient, late.was_sent_to) == (
        "delayed", "ben@customer.example", False,
    )  # fmt: skip
    assert told() == ["submission.sent", "submission.bounced", "submission.delayed"]


def test_nothing_is_sent_settled_or_opened_because_of_a_bounce(inbox, sent):
    came_back(inbox, "standard", sent)
    assert (fate(sent), sent.draft.status, sent.attempts) == ("sent", "sent", 1)


def test_a_bounce_is_put_before_a_person(inbox, sent):
    message = came_back(inbox, "standard", sent)
    activity = Activity.objects.get(message=message)
    assert (activity.status, reports.BOUNCED in activity.reasoning) == ("surfaced", True)


def test_an_automatic_answer_is_kept_and_told_of(inbox, sent):
    came_back(inbox, "away", sent)
    [report] = sent.reports.all()
    assert (report.kind, report.recipient) == ("away", "ada@customer.example")
    assert told()[-1] == "submission.auto_replied"


def test_the_same_message_again_changes_nothing(inbox, sent):
    message = came_back(inbox, "standard", sent)
    reports.read_reports({"message_ids": [message.pk]})
    run_due()
    assert DeliveryReport.objects.count() == 2
    assert len(told()) == 3


def test_a_report_to_another_account_is_about_nothing_there(sent, inbox):
    other = make_inbox(inbox.workspace, "other@lantern.example")
    came_back(other, "standard", sent)
    assert not DeliveryReport.objects.exists()


def test_what_never_left_cannot_have_come_back(actor, inbox):
    held = propose(actor, inbox)
    came_back(inbox, "standard", held)
    assert not DeliveryReport.objects.exists()


def test_an_unknown_one_stays_for_a_person_to_settle(inbox, sent, actor, reviewer):
    with Peer(dot=drop) as peer:
        unknown = sending_tools.release(propose(actor, inbox, peer.port), reviewer)
        run_due()
    assert fate(unknown) == "unknown"
    came_back(inbox, "standard", unknown)
    assert (fate(unknown), unknown.reports.count()) == ("unknown", 2)


def test_nobody_fills_the_page_by_answering_for_ever(inbox, sent, monkeypatch):
    monkeypatch.setattr(reports, "MOST_REPORTS", 3)
    for number in range(4):
        came_back(inbox, "standard", sent, b1=b"again%d" % number)
    assert sent.reports.count() == 3


def test_other_mail_costs_one_query(inbox, sent, django_assert_num_queries):
    keys = [came_back(inbox, "person", sent, p1=b"n%d" % number).pk for number in range(3)]
    with django_assert_num_queries(1):
        reports.read_reports({"message_ids": keys})
    assert not DeliveryReport.objects.exists()
