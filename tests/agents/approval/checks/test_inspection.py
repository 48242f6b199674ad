"""What a reviewer would not see of a message is a flag from the moment it is sealed."""

import io
import zipfile
from dataclasses import replace

import pytest

from agents.admin.evidence.flagged import is_flagged
from agents.approval.checks.inspection import find_uninspectable, inspect_sealed
from agents.approval.due import check_due
from agents.approval.lifecycle import ApprovalError, edit_and_approve
from agents.models import Approval
from inbox.models import Submission
from inbox.operations.drafts.writing import attach_to_draft, create_draft
from inbox.rfc5322.parse import ParsedMessage, parse_outgoing
from inbox.rfc5322.parsed import ParsedAttachment
from tests import factories
from tests.agents.admin.desk import BODY, propose
from tests.documents import encrypted_pdf

pytestmark = pytest.mark.django_db
TEXT = b"text/plain; charset=us-ascii"
PARTS = b"multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: %s\r\n\r\nwords\r\n--b--\r\n"


@pytest.fixture
def sealed(actor, inbox):
    """Propose a letter to somebody known, with these files; return the approval that waits."""

    def sealed(**files: bytes) -> Approval:
        factories.make_person(inbox.workspace, sent_count=3)
        asked = factories.make_message(inbox)
        draft = create_draft(
            actor=actor, inbox=inbox, identity=inbox.account.identities.get(), thread=asked.thread,
            to=["ada@customer.example"], subject="Re: A question", body=BODY,
        )  # fmt: skip
        for name, content in files.items():
            attach_to_draft(
                draft=draft, filename=f"{name}.zip", content_type="application/zip",
                content=content,
            )  # fmt: skip
        approval = propose(actor, asked.thread, draft.public_id)
        check_due([approval])
        return approval

    return sealed


def zipped(*, encrypted: bool) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("offer.txt", b"words")
    content = bytearray(file.getvalue())
    content[content.index(b"PK\x01\x02") + 8] |= encrypted
    return bytes(content)


def reasons(flags) -> list[tuple[str, str, str]]:
    return [
        (flag.flag, one.reason, dict(one.params).get("part", ""))
        for flag in flags
        for one in flag.findings
    ]


def changed(approval: Approval, old: bytes, new: bytes) -> Submission:
    """Return what was sealed as if other bytes had been."""
    submission = approval.submission
    assert submission is not None
    assert old in submission.mime_bytes
    submission.mime = submission.mime_bytes.replace(old, new, 1)
    return submission


def test_a_letter_of_which_all_is_shown_raises_none_of_these_flags(sealed, actor):
    approval = sealed(offer=zipped(encrypted=False))
    assert approval.risk_flags == []
    assert not is_flagged(actor, approval)


def test_an_archive_nobody_can_open_is_kept_with_the_approval_and_no_batch_may_approve_it(
    sealed, actor
):
    approval = sealed(locked=zipped(encrypted=True), cut=zipped(encrypted=False)[:40])
    [flag] = approval.risk_flags
    assert (flag["flag"], flag["items"]) == (
        "uninspectable",
        [
            {"reason": "encrypted", "params": {"part": "locked.zip"}},
            {"reason": "damaged", "params": {"part": "cut.zip"}},
        ],
    )
    assert is_flagged(actor, approval)


def test_a_pdf_that_opens_with_a_password_alone_is_flagged():
    def parsed(content):
        file = ParsedAttachment(0, "offer.pdf", "application/pdf", "", False, content)
        return replace(parse_outgoing(b"Subject: One\r\n\r\nOne\r\n"), attachments=(file,))

    [finding] = find_uninspectable(parsed(encrypted_pdf("secret")))
    assert (finding.reason, finding.params) == ("encrypted", (("part", "offer.pdf"),))
    assert list(find_uninspectable(parsed(encrypted_pdf("")))) == []


def test_a_file_without_a_name_is_called_by_its_type(sealed):
    submission = changed(sealed(locked=zipped(encrypted=True)), b"attachment; filename=", b"x; y=")
    assert ("uninspectable", "encrypted", "application/zip") in reasons(inspect_sealed(submission))


def test_an_edited_letter_is_looked_at_again_when_it_is_sealed_anew(sealed, reviewer):
    approval = sealed(locked=zipped(encrypted=True))
    with pytest.raises(ApprovalError, match="flag"):
        edit_and_approve(
            approval=approval, by=reviewer, subject="Other", body=BODY, cc=[], bcc=[],
            to=["ada@customer.example"], may_raise_flags=False,
        )  # fmt: skip


def test_the_reviewer_reads_which_file_it_is_and_why(sealed, client, reviewer):
    approval = sealed(locked=zipped(encrypted=True), offer=zipped(encrypted=False))
    client.force_login(reviewer)
    page = client.get(f"/admin/review/{approval.public_id}/")
    files = page.context["review"].message.enclosures
    why = "Encrypted, so its contents cannot be shown: locked.zip."
    assert [(one.filename, one.uninspectable) for one in files] == [
        ("locked.zip", why), ("offer.zip", ""),
    ]  # fmt: skip
    assert page.content.decode().count("chip-bad") == 1
    german = client.get(f"/admin/review/{approval.public_id}/", headers={"Accept-Language": "de"})
    assert "Verschlüsselt, der Inhalt lässt sich nicht zeigen" in german.content.decode()


ODD = [
    (b"text/html; charset=us-ascii", "uninspectable", "html", "text/html"),
    (b"text/plain; charset=x-unknown", "uninspectable", "charset", "text/plain"),
    (PARTS % b"message/partial", "uninspectable", "partial", "message/partial"),
    (PARTS % b"message/external-body", "uninspectable", "external", "message/external-body"),
    (PARTS % b"application/pkcs7-mime; name=smime.p7m", "uninspectable", "encrypted", "smime.p7m"),
    (PARTS % b"application/pgp-encrypted", "uninspectable", "encrypted",
     "application/pgp-encrypted"),
    (b"multipart/mixed", "uninspectable", "structure", ""),
    (b"text/plain\r\nReply-To: x@evil.example", "read_differently", "field", ""),
    (b"text/plain; format=flowed", "read_differently", "text", ""),
]  # fmt: skip


def test_each_kind_of_part_that_is_not_shown_is_told(sealed):
    approval = sealed()
    whole = approval.submission.mime_bytes
    for content_type, *told in ODD:
        approval.submission.mime = whole
        submission = changed(approval, TEXT, content_type)
        assert tuple(told) in reasons(inspect_sealed(submission)), content_type


MANY = b"--b\r\n\r\nwords\r\n" * 3000
DEEP = b"".join(
    b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(150)
)
BROKEN = {
    "broken_header": b"no field\r\n\r\nwords", "broken_multipart": b"Content-Type: multipart/mixed\r\n\r\n",
    "too_deep": DEEP, "too_many_parts": b"Content-Type: multipart/mixed; boundary=b\r\n\r\n" + MANY,
}  # fmt: skip


@pytest.mark.parametrize("problem", [*BROKEN, "unreadable"])
def test_what_is_broken_as_a_whole_is_told(problem):
    parsed = ParsedMessage(anomalies=(problem,))
    if problem in BROKEN:
        assert problem in parse_outgoing(b"From: a@x.example\r\n" + BROKEN[problem]).anomalies
    assert [one.reason for one in find_uninspectable(parsed)] == ["structure"]


def test_text_that_was_cut_off_or_is_encrypted_itself_is_told(sealed):
    submission = changed(sealed(), b"7bit", b"x-unknown")
    assert ("uninspectable", "encoding", "text/plain") in reasons(inspect_sealed(submission))
    submission.mime += b"-----BEGIN PGP MESSAGE-----\r\n"
    assert ("uninspectable", "encrypted", "text/plain") in reasons(inspect_sealed(submission))


READ_OTHERWISE = {
    "sender": (b"From: ", b"From: boss@lantern.example, "),
    "recipients": (b"To: ada@", b"To: team: ada@"),
    "subject": (b"Re: A question", b"=?utf-8?q?Re:?= question"),
}


def test_another_sender_recipient_or_subject_that_others_may_read_is_told(sealed):
    approval = sealed()
    whole = approval.submission.mime_bytes
    for reason, (old, new) in READ_OTHERWISE.items():
        approval.submission.mime = whole
        told = reasons(inspect_sealed(changed(approval, old, new)))
        assert ("read_differently", reason, "") in told, reason


def test_a_text_or_an_archive_that_is_too_long_to_be_looked_at_is_told(sealed):
    submission = changed(sealed(many=b"PK\x03\x04" + b"PK\x01\x02" * 5001), b"7bit", b"8bit")
    assert ("uninspectable", "archive", "many.zip") in reasons(inspect_sealed(submission))
    parsed = parse_outgoing(b"From: a@x.example\r\nTo: b@x.example\r\n\r\n" + b"words " * 850_000)
    assert [one.reason for one in find_uninspectable(parsed)] == ["cut"]


OTHERS = [
    (b"To: ada@", b"To: bo@"),
    (b"To: ada@", b"Cc: bo@customer.example\r\nTo: ada@"),
    (b"To: ada@", b"Bcc: bo@customer.example\r\nTo: ada@"),
    (b"From: ", b"From: x@evil.example\r\nX-From: "),
]


def test_a_header_that_names_others_than_the_envelope_is_told(sealed):
    approval = sealed()
    whole = approval.submission.mime_bytes
    for old, new in OTHERS:
        approval.submission.mime = whole
        told = reasons(inspect_sealed(changed(approval, old, new)))
        assert ("read_differently", "envelope", "") in told, new
