"""What a provider keeps of what was sent is held against what was sealed."""

import pytest

from agents.models import Receipt
from inbox.background.jobs import run_due
from inbox.models import Message, Submission
from inbox.providers import PROVIDERS
from tests import sending_tools
from tests.inbox.syncing.by_changes.made_up import NAME
from tests.sending_tools import propose

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(actor, inbox, mirror, reviewer) -> Submission:
    """A message that left; its provider keeps what is sent by itself."""
    submission = propose(actor, inbox)
    submission.account.refresh_from_db()
    submission.account.provider = "local"
    sending_tools.release(submission, reviewer)
    run_due()
    submission.account.provider = NAME
    submission.account.save(update_fields=["provider"])
    return Submission.objects.get()


def keeps(office, mirror, raw: bytes) -> Submission:
    office.arrive("", "Sent", raw=raw)
    assert mirror.sync()
    run_due()
    return Submission.objects.get()


def test_a_copy_of_the_sealed_bytes_is_said_to_be_one(office, mirror, sent):
    submission = keeps(office, mirror, sent.mime_bytes)
    assert (submission.copy_sha256, submission.copy_differences) == (sent.sha256, "")
    assert not Receipt.objects.filter(tool="submission.rewritten").exists()
    assert Message.objects.get().blob.read() == sent.mime_bytes


def test_a_copy_that_was_rewritten_has_a_receipt_of_what_differs(office, mirror, sent):
    raw = b"X-Provider: yes\r\n" + sent.mime_bytes.replace(b"Hello", b"Goodbye")
    submission = keeps(office, mirror, raw)
    assert submission.copy_differences == (
        "Fields added to the header: x-provider. The text differs."
    )
    receipt = Receipt.objects.get(tool="submission.rewritten")
    assert receipt.reason == submission.copy_differences
    assert receipt.result == {
        "message_id": sent.message_public_id, "sealed_sha256": sent.sha256,
        "copy_sha256": submission.copy_sha256,
        "differences": ["copy_field_added", "copy_text"],
    }  # fmt: skip
    assert (receipt.outcome, receipt.error_code) == ("error", "provider_error")
    # What was sealed is what we keep, and the first copy counts.
    assert Message.objects.get().blob.read() == sent.mime_bytes
    office.arrive("", "Archive", raw=sent.mime_bytes)
    mirror.sync()
    assert Submission.objects.get().copy_sha256 == submission.copy_sha256
    assert PROVIDERS[NAME].keeps_sent


@pytest.mark.parametrize(
    ("change", "says_otherwise"),
    [
        ((b"To: ", b"X-Provider: yes\r\nTo: "), False),
        ((b"To: ", b"Bcc: eve@x.example\r\nTo: "), False),
        ((b"\r\n", b"\n"), False),
        ((b"Hello", b"Goodbye"), True),
        ((b"ada@customer", b"eve@customer"), True),
        ((b"To: ", b"Cc: eve@x.example\r\nTo: "), True),
        ((b"Subject: News", b"Subject: Olds"), True),
    ],
)  # fmt: skip
def test_a_copy_that_says_something_else_is_told_from_one_that_is_only_written_anew(
    office, mirror, sent, change, says_otherwise
):
    submission = keeps(office, mirror, sent.mime_bytes.replace(*change))
    assert submission.copy_differences
    assert submission.copy_says_otherwise is says_otherwise
    outcome = Receipt.objects.get(tool="submission.rewritten").outcome
    assert outcome == ("error" if says_otherwise else "ok")
