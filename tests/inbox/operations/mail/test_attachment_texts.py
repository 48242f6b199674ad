"""What is attached is read in the background, and found behind what messages say themselves."""

from email.message import EmailMessage

import pytest
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from inbox.actor import system_actor
from inbox.background.jobs import run_due
from inbox.files.storage import blob_name
from inbox.models import Attachment, AttachmentText, Job
from inbox.operations.mail import attachment_texts
from inbox.operations.mail.attachment_jobs import is_read
from inbox.operations.mail.attachment_texts import read_attachments, read_earlier_attachments
from inbox.operations.mail.incoming import receive_message
from inbox.operations.purging import purge
from inbox.search import rank_messages, search_messages
from inbox.search.snippets import LONGEST_SNIPPET
from tests import factories
from tests.cases import in_one_test
from tests.documents import docx_of, pdf_of

pytestmark = pytest.mark.django_db
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


def with_files(name, *files, text="Please see the file.", subject="File") -> bytes:
    message = EmailMessage()
    message["From"], message["To"] = "ada@customer.example", "office@lantern.example"
    message["Subject"], message["Message-ID"] = subject, f"<{name}@x>"
    message["Date"] = "Mon, 2 Mar 2026 09:00:00 +0000"
    message.set_content(text)
    for filename, content_type, content in files:
        main, _, sub = content_type.partition("/")
        message.add_attachment(content, maintype=main, subtype=sub, filename=filename)
    return message.as_bytes()


@pytest.fixture
def office(inbox):
    receive = lambda *a, **k: receive_message(inbox=inbox, raw=with_files(*a, **k))  # noqa: E731
    receive("pdf", ("bill.pdf", "application/pdf", pdf_of("Walnut burner, 400 EUR net.")))
    receive("docx", ("offer.docx", WORD, docx_of("We offer a submarine and walnut oil.")))
    receive("csv", ("prices.csv", "text/csv", b"item,price\nperiscope,12\n"))
    receive("txt", ("note.txt", "text/plain", "Die Häuser in der Straße.".encode()))
    receive("plain", text="The periscope is here.", subject="Said")
    run_due()
    return inbox


def find(inbox, query, **options) -> list[str]:
    actor = system_actor(inbox.workspace_id, "test")
    hits = search_messages(actor=actor, inbox=inbox, query=query, **options)
    assert all(hit.score > 0 and len(hit.snippet) <= LONGEST_SNIPPET for hit in hits)
    ranked = rank_messages(inboxes=[inbox], query=query, limit=50)
    assert set(ranked) >= {hit.message.pk for hit in hits}
    return [hit.message.message_id_header[1:].partition("@")[0] for hit in hits]


@in_one_test(
    ("query", "found"),
    [
        ("burner", ["pdf"]),
        ("submarine", ["docx"]),
        ("walnut", ["docx", "pdf"]),
        ("periscope", ["plain", "csv"]),
        ("walnut submarine", ["docx"]),
        ("burner submarine", []),
        ('"walnut oil"', ["docx"]),
        ('"oil walnut"', []),
        ("haus", ["txt"]),
        ("strasse", ["txt"]),
        ("offering", ["docx"]),
        ("burner has:pdf", ["pdf"]),
        ("burner filename:bill", ["pdf"]),
        ("burner filename:offer", []),
        ("walnut before:2020", []),
        ("zeppelin", []),
    ],
)
def test_what_is_attached_is_found_behind_what_is_said(office, query, found):
    assert sorted(find(office, query)) == sorted(found)
    if "plain" in found:
        assert find(office, query)[0] == "plain"


def test_each_word_may_be_in_the_message_or_in_what_is_attached(office):
    assert find(office, "submarine file")[0] == "docx"
    assert find(office, "oil see submarine")[0] == "docx"


def test_the_hit_says_in_which_attachment_it_is(office):
    actor = system_actor(office.workspace_id, "test")
    (hit,) = search_messages(actor=actor, inbox=office, query="submarine")
    assert hit.snippet == "Attachment: offer.docx · We offer a submarine and walnut oil."
    (said, attached) = search_messages(actor=actor, inbox=office, query="periscope")
    assert said.snippet == "The periscope is here."
    assert attached.snippet.startswith("Attachment: prices.csv · item,price periscope,12")


def test_what_is_attached_to_others_is_not_found(office, workspace):
    other = factories.make_inbox(workspace)
    stranger = factories.make_inbox(factories.make_workspace())
    for inbox in (other, stranger):
        file = ("x.txt", "text/plain", b"The secret bathyscaphe.")
        receive_message(inbox=inbox, raw=with_files("theirs", file))
    run_due()
    assert find(other, "bathyscaphe") == ["theirs"]
    assert find(office, "bathyscaphe") == []


def test_with_its_message_it_goes_from_the_index(office):
    message = office.messages.get(message_id_header="<docx@x>")
    office.messages.filter(pk=message.pk).update(deleted_at=timezone.now())
    assert find(office, "submarine") == []
    office.messages.filter(pk=message.pk).update(deleted_at=factories.NOON.replace(year=2020))
    assert purge(type(message).objects.filter(pk=message.pk)) == 1
    assert AttachmentText.objects.filter(text__contains="submarine").count() == 0
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM inbox_attachment_search "
                "WHERE inbox_attachment_search MATCH 'submarine'"
            )
            assert cursor.fetchone() == (0,)
            cursor.execute(
                "INSERT INTO inbox_attachment_search(inbox_attachment_search) "
                "VALUES ('integrity-check')"
            )


def test_a_job_goes_on_where_the_one_before_was_cut_short(inbox, monkeypatch):
    monkeypatch.setattr(attachment_texts, "AT_ONCE", 2)
    files = [(f"{one}.txt", "text/plain", f"bathyscaphe {one}".encode()) for one in range(5)]
    receive_message(inbox=inbox, raw=with_files("many", *files))
    (job,) = Job.objects.filter(kind="search.attachments")
    read_attachments(job.payload)
    assert AttachmentText.objects.count() == 2
    read_attachments(job.payload)
    assert AttachmentText.objects.count() == 2
    run_due()
    assert AttachmentText.objects.count() == 5
    assert Attachment.objects.filter(said=None).count() == 0


def test_earlier_mail_is_read_some_files_a_job(office, monkeypatch):
    monkeypatch.setattr(attachment_texts, "AT_ONCE", 3)
    AttachmentText.objects.all().delete()
    assert find(office, "burner") == []
    read_earlier_attachments({"after": 0})
    assert AttachmentText.objects.count() == 3
    (job,) = Job.objects.filter(kind="search.earlier_attachments")
    read_earlier_attachments(job.payload)
    assert AttachmentText.objects.count() == 4
    assert find(office, "burner") == ["pdf"]
    read_earlier_attachments({"after": 0})
    assert AttachmentText.objects.count() == 4


def test_what_cannot_be_read_is_left_out_and_stops_nothing(inbox):
    files = [
        ("broken.pdf", "application/pdf", b"%PDF-1.7\n" + b"\xff" * 500),
        ("photo.jpg", "image/jpeg", b"\xff\xd8 bathyscaphe"),
        ("empty.txt", "text/plain", b" "),
        ("lost.txt", "text/plain", b"A lost bathyscaphe."),
        ("there.txt", "text/plain", b"A bathyscaphe."),
    ]
    receive_message(inbox=inbox, raw=with_files("many", *files))
    lost = Attachment.objects.get(filename="lost.txt")
    default_storage.delete(blob_name(lost.blob.workspace_id, lost.blob.sha256))
    (job,) = Job.objects.filter(kind="search.attachments")
    read_attachments(job.payload)
    said = AttachmentText.objects.values_list("attachment__filename", flat=True)
    assert list(said) == ["there.txt"]


@in_one_test(
    ("content_type", "size", "expected"),
    [
        ("text/plain; charset=utf-8", 10, True),
        ("application/octet-stream", 10, True),
        ("application/pdf", 10**9, False),
        ("application/pdf", 0, False),
        ("Image/PNG", 10, False),
        ("text/calendar; method=REQUEST", 10, False),
        ("application/pgp-signature", 10, False),
    ],
)
def test_only_what_may_have_words_is_read(content_type, size, expected):
    assert is_read(content_type, size) is expected


def test_a_message_without_files_causes_no_job(inbox):
    receive_message(inbox=inbox, raw=with_files("plain", text="Hello."))
    assert not Job.objects.filter(kind="search.attachments").exists()
