"""The checker itself: each broken promise is noticed, and a kept one is not called broken."""

import random
import smtplib
import ssl
import time
from collections import Counter
from contextlib import nullcontext

import pytest

from agents.approval import lifecycle
from agents.approval.status import ApprovalError
from inbox.background.jobs import run_due
from inbox.models import Message, Submission
from tests.cases import made_up
from tests.faults.invariants import check_lane
from tests.faults.recovery import bring_to_an_end
from tests.faults.scripted import drop, show
from tests.faults.stage import Case, Lane, Stage
from tests.faults.tls_faults import random_tls_script

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stage(tmp_path, workspace, agent, actor, reviewer):
    stage = Stage(tmp_path, {}, actor, reviewer, {})
    yield stage
    stage.close()


@pytest.fixture
def lane(stage):
    return stage.open_lane()


@pytest.fixture
def sent(stage, lane):
    """A message that was approved and sent, as it should be."""
    case = stage.propose(lane, random.Random(1))
    stage.approve(case)
    bring_to_an_end([case.approval.submission_id])
    return case


@pytest.fixture
def held(stage, lane):
    """A message that waits for a person."""
    return stage.propose(lane, random.Random(1))


def found(stage: Stage, case: Case) -> str:
    return "\n".join(check_lane(case.lane, stage))


def submission_of(case: Case) -> Submission:
    return Submission.objects.get(pk=case.approval.submission_id)


def hand_in(lane: Lane, case: Case, content: bytes | None = None, to: list[str] | None = None):
    """Send the mail past everything."""
    submission = submission_of(case)
    with smtplib.SMTP("127.0.0.1", lane.smtp.port, timeout=5) as client:
        client.sendmail(
            submission.envelope_from, to or submission.envelope_to, content or submission.mime_bytes
        )


def test_what_is_as_it_should_be_is_not_called_broken(stage, sent, held):
    assert found(stage, sent) == ""


def test_what_left_twice_is_noticed(stage, lane, sent):
    hand_in(lane, sent)
    assert "SENT TWICE" in found(stage, sent)


def test_what_nobody_pressed_for_is_noticed(stage, lane, held):
    hand_in(lane, held)
    assert "UNAPPROVED: nobody pressed" in found(stage, held)


def test_what_left_although_it_was_taken_back_is_noticed(stage, sent):
    sent.taken_back[sent.approval.submission_id] = time.monotonic()
    assert "UNAPPROVED: it was taken back" in found(stage, sent)


def test_what_a_server_refused_may_be_taken_back_before_the_next_try(stage, lane, held):
    lane.smtp.script = {"dot": "451 4.3.0 later"}
    stage.approve(held)
    run_due()
    undone = lifecycle.undo(approval=held.approval, by=stage.reviewer)
    held.taken_back[held.approval.submission_id] = time.monotonic()
    assert [it.verdict for it in lane.smtp.whole] == ["refused"]
    assert undone.state == "waiting"
    assert found(stage, held) == ""


@pytest.mark.parametrize("said", ["451 4.3.0 later", "421 4.4.2 bye", drop, "350 neither"])
def test_what_was_answered_and_then_taken_back_is_called_broken_only_if_it_leaves(
    stage, lane, held, said
):
    lane.smtp.script = {"dot": said}
    stage.approve(held)
    run_due()
    [seen] = lane.smtp.whole
    lane.smtp.script = {}
    may_be_undone = seen.verdict == "refused"
    with nullcontext() if may_be_undone else pytest.raises(ApprovalError):
        lifecycle.undo(approval=held.approval, by=stage.reviewer)
        held.taken_back[held.approval.submission_id] = time.monotonic()
    assert found(stage, held) == ""
    if may_be_undone:
        # Another try after that is what must not be, whatever comes of it.
        hand_in(lane, held)
        assert "UNAPPROVED: it was taken back" in found(stage, held)


def test_what_is_said_in_the_clear_is_noticed_where_tls_was_asked_for(stage):
    lane = stage.open_lane(security="starttls")
    case = stage.propose(lane, random.Random(1))
    with smtplib.SMTP("127.0.0.1", lane.smtp.port, timeout=5) as client:
        client.ehlo()
        assert found(stage, case) == ""
        client.login("office", "open sesame")
    assert "IN THE CLEAR" in found(stage, case)


@pytest.mark.parametrize("number", range(3))
def test_what_is_said_to_who_shows_a_wrong_certificate_is_noticed(stage, number):
    lane = stage.open_lane(security="tls")
    case = stage.propose(lane, random.Random(1))
    lane.smtp.scripts.append({"TLS": [show(lane.certificates.wrong[number])]})
    careless = ssl._create_unverified_context()
    with smtplib.SMTP_SSL("127.0.0.1", lane.smtp.port, timeout=5, context=careless) as client:
        client.login("office", "open sesame")
    assert "or to a stranger" in found(stage, case)


@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_whose_tls_goes_wrong_hears_of_no_mail_and_the_next_one_gets_it(stage, security):
    lane = stage.open_lane(security=security)
    chance = random.Random(security)
    for _ in range(made_up(32)):
        case = stage.propose(lane, chance)
        script = random_tls_script(chance, lane.certificates.wrong, at_once=security == "tls")
        lane.smtp.scripts.append(script)
        stage.approve(case)
        run_due()
        assert lane.smtp.whole == []
        lane.behave()
    # What failed for good has said why; what waits is sent when all is well again.
    bring_to_an_end(Submission.objects.values_list("pk", flat=True))
    assert found(stage, case) == ""
    states = Counter(Submission.objects.values_list("state", flat=True))
    assert states.keys() == {"failed", "sent"}
    assert len(lane.smtp.whole) == states["sent"]


def test_other_bytes_are_noticed(stage, lane, held):
    hand_in(lane, held, submission_of(held).mime_bytes + b"P.S.\r\n")
    assert "OTHER THAN APPROVED: the bytes" in found(stage, held)


def test_another_recipient_is_noticed(stage, lane, held):
    hand_in(lane, held, to=["eve@elsewhere.example"])
    assert "OTHER THAN APPROVED: the envelope" in found(stage, held)


def test_a_stranger_is_noticed(stage, lane, held):
    hand_in(lane, held, b"Message-ID: <0@nowhere>\r\n\r\nHello\r\n")
    assert "nobody proposed" in found(stage, held)


def test_what_counts_as_sent_and_was_never_taken_is_noticed(stage, lane, sent):
    lane.smtp.whole.clear()
    assert "LOST: it counts as sent" in found(stage, sent)


def test_what_was_confirmed_and_came_to_nothing_is_noticed(stage, held):
    held.granted.add(held.approval.sha256)
    assert "LOST: the approval was confirmed" in found(stage, held)


def test_what_is_still_under_way_is_noticed(stage, held):
    stage.approve(held)
    assert "LOST: it has come to no end" in found(stage, held)


def test_a_missing_copy_is_noticed(stage, sent):
    Message.objects.filter(submission=submission_of(sent)).delete()
    assert "COPY: there are 0" in found(stage, sent)


def test_an_end_without_words_is_noticed(stage, sent):
    Submission.objects.filter(pk=sent.approval.submission_id).update(outcome="")
    assert "SILENT: no words" in found(stage, sent)


def test_a_failure_without_the_servers_words_is_noticed(stage, lane, held):
    lane.smtp.script = {"MAIL": "550 5.7.1 not you"}
    stage.approve(held)
    bring_to_an_end([held.approval.submission_id])
    assert found(stage, held) == ""
    Submission.objects.filter(pk=held.approval.submission_id).update(outcome="It failed.")
    assert "none of the server's words" in found(stage, held)


def test_a_mail_that_was_edited_on_approval_is_followed_to_its_new_bytes(stage, lane, held):
    to = [{"name": "", "email": "ada@customer.example"}]
    edited = lifecycle.edit_and_approve(
        approval=held.approval, by=stage.reviewer, subject="Edited", body="Bye", to=to, cc=[], bcc=[]
    )  # fmt: skip
    held.pressed.add(edited.sha256)
    bring_to_an_end([edited.submission_id])
    assert found(stage, held) == ""
    assert [it.verdict for it in lane.smtp.whole] == ["taken"]
