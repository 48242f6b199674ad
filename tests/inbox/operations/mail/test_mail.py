from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from agents.models import FactNote, Receipt
from inbox.actor import system_actor
from inbox.background import jobs
from inbox.errors import DomainError
from inbox.models import Blob, Inbox, Job, Mailbox, Message, Person, Thread, ThreadStatus
from inbox.models.remote import RemoteFolder
from inbox.operations.mail.incoming import receive_message
from inbox.operations.mail.thread_changes import label_thread, set_thread_status, wake_threads
from tests import factories
from tests.inbox.letters import MONDAY, letter

pytestmark = pytest.mark.django_db


@pytest.fixture
def office(workspace):
    return system_actor(workspace.pk, "test")


# -- receiving -------------------------------------------------------------------------------------
def test_a_message_is_stored_with_its_bytes_thread_label_and_person(inbox):
    message = receive_message(inbox=inbox, raw=letter())
    assert message.blob.read() == letter()
    assert (message.direction, message.received_at) == ("inbound", MONDAY)
    assert [mailbox.role for mailbox in message.mailboxes.all()] == ["inbox"]
    assert [mailbox.role for mailbox in message.thread.mailboxes.all()] == ["inbox"]
    thread = Thread.objects.get()
    assert (thread.subject, thread.message_count, thread.updated_at) == ("The lamps", 1, MONDAY)
    assert thread.participants == [{"name": "Ada Byron", "email": "ada@customer.example"}]
    person = Person.objects.get()
    assert (person.fn, person.received_count, person.contact_count) == ("Ada Byron", 1, 1)


def test_the_same_bytes_are_one_message_and_count_once(inbox):
    first = receive_message(inbox=inbox, raw=letter())
    assert receive_message(inbox=inbox, raw=letter()) == first
    assert Message.objects.count() == Thread.objects.get().message_count == 1
    assert Person.objects.get().contact_count == 1


def test_other_line_ends_make_no_other_message(inbox):
    first = receive_message(inbox=inbox, raw=letter())
    assert receive_message(inbox=inbox, raw=letter().replace(b"\r\n", b"\n")) == first


def test_another_message_with_the_same_id_is_kept_apart_and_marked(inbox):
    first = receive_message(inbox=inbox, raw=letter())
    second = receive_message(inbox=inbox, raw=letter(text="Something else."))
    assert first != second
    assert "duplicate_message_id" in second.anomalies
    assert "duplicate_message_id" not in first.anomalies
    assert first.thread_id == second.thread_id


def test_the_same_bytes_in_two_inboxes_are_two_messages_and_threads(inbox, workspace):
    other = factories.make_inbox(workspace, "sales@lantern.example")
    one, two = (receive_message(inbox=i, raw=letter()) for i in (inbox, other))
    assert one.thread_id != two.thread_id
    assert one.blob_id == two.blob_id


def test_an_id_known_to_another_tenant_joins_nothing(inbox):
    theirs = receive_message(inbox=factories.make_inbox(factories.make_workspace()), raw=letter())
    ours = receive_message(inbox=inbox, raw=letter("two", in_reply_to="one"))
    assert theirs.thread_id != ours.thread_id
    assert theirs.blob.workspace_id != ours.blob.workspace_id


def test_inbound_mail_publishes_the_fact_once(inbox, monkeypatch):
    monkeypatch.setitem(jobs._SUBSCRIBERS, "message.received", ["test.heard"])
    message = receive_message(inbox=inbox, raw=letter())
    receive_message(inbox=inbox, raw=letter())
    job = Job.objects.get()
    assert (job.kind, job.payload) == ("test.heard", {"message_ids": [message.pk]})
    assert job.workspace_id == inbox.workspace_id


def test_mail_from_us_is_outbound_goes_to_sent_and_publishes_nothing(inbox, monkeypatch):
    monkeypatch.setitem(jobs._SUBSCRIBERS, "message.received", ["test.heard"])
    raw = letter(
        sender="Lantern <OFFICE@lantern.example>", to="Bo <bo@shop.example>, cy@shop.example"
    )
    message = receive_message(inbox=inbox, raw=raw)
    assert message.direction == "outbound"
    assert message.mailboxes.get().role == "sent"
    assert not Job.objects.exists()
    people = Person.objects.order_by("email").values_list("email", "sent_count", "received_count")
    assert list(people) == [("bo@shop.example", 1, 0), ("cy@shop.example", 1, 0)]


def test_mail_in_our_name_that_our_server_disowns_came_in(workspace):
    inbox = factories.make_inbox(
        workspace, "office@lantern.example", authserv_id="mx.lantern.example"
    )
    headers = "Authentication-Results: mx.lantern.example; dmarc=fail header.from=lantern.example"
    raw = letter(sender="office@lantern.example", headers=headers)
    message = receive_message(inbox=inbox, raw=raw)
    assert (message.direction, message.authentication) == ("inbound", "fail")


def test_keywords_role_and_time_are_those_that_were_given(inbox):
    at = MONDAY + timedelta(days=5)
    message = receive_message(
        inbox=inbox,
        raw=letter(),
        received_at=at,
        keywords=["$seen", "$flagged"],
        mailbox_role="junk",
    )
    assert message.received_at == at
    assert message.keywords == ["$flagged", "$seen"]
    assert message.mailboxes.get().role == "junk"
    assert not Person.objects.exists()


def test_a_date_in_the_future_is_not_believed(inbox):
    message = receive_message(inbox=inbox, raw=letter(day=20_000))
    assert message.received_at <= timezone.now()
    assert message.sent_at.year > 2070


def test_attachments_are_kept_with_their_names(inbox):
    raw = (
        b"From: ada@customer.example\r\nTo: office@lantern.example\r\nSubject: Plan\r\n"
        b"MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
        b"--b\r\nContent-Type: text/plain\r\n\r\nHere it is.\r\n"
        b"--b\r\nContent-Type: application/pdf\r\n"
        b'Content-Disposition: attachment; filename="plan.pdf"\r\n\r\n%PDF-1.7\r\n--b--\r\n'
    )
    message = receive_message(inbox=inbox, raw=raw)
    attachment = message.attachments.get()
    assert message.has_attachments
    assert (attachment.filename, attachment.content_type) == ("plan.pdf", "application/pdf")
    assert attachment.blob.read() == b"%PDF-1.7"


def test_a_message_of_nothing_is_stored(inbox):
    message = receive_message(inbox=inbox, raw=b"")
    assert message.subject == message.from_email == ""
    assert "missing_from" in message.anomalies


def test_what_a_database_cannot_hold_is_left_out(inbox):
    raw = letter(text="a\x00b", subject="x\x00y")
    message = Message.objects.get(pk=receive_message(inbox=inbox, raw=raw).pk)
    assert "\x00" not in message.text + message.subject


def test_an_address_without_end_is_cut(inbox):
    message = receive_message(inbox=inbox, raw=letter(sender=f"{'a' * 5000}@x.example"))
    assert len(message.from_email) <= 320


def test_a_letter_to_very_many_is_stored_whole(inbox):
    to = ", ".join(f"p{number}@shop.example" for number in range(3000))
    message = receive_message(inbox=inbox, raw=letter(sender="office@lantern.example", to=to))
    assert len(message.to) == 3000
    assert Person.objects.count() == 3000


def test_receiving_takes_as_many_queries_in_a_long_thread_as_in_a_short_one(inbox):
    counts = []
    for number in range(12):
        raw = letter(str(number), references=[str(n) for n in range(number)], day=number)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            receive_message(inbox=inbox, raw=raw)
        counts.append(len(queries))
    assert Thread.objects.current().get().message_count == 12
    assert counts[-1] == counts[2]


# -- status and labels -----------------------------------------------------------------------------
def test_an_answer_opens_a_closed_thread_again(inbox, office):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    set_thread_status(actor=office, thread=thread, status="closed")
    receive_message(inbox=inbox, raw=letter("two", in_reply_to="one", day=1))
    thread.refresh_from_db()
    assert thread.status == ThreadStatus.OPEN


def test_our_own_answer_leaves_a_thread_closed(inbox, office):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    set_thread_status(actor=office, thread=thread, status="closed")
    ours = letter("two", in_reply_to="one", day=1, sender="office@lantern.example")
    receive_message(inbox=inbox, raw=ours)
    thread.refresh_from_db()
    assert thread.status == ThreadStatus.CLOSED


def test_a_thread_is_snoozed_until_a_time(inbox, office):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    until = timezone.now() + timedelta(days=1)
    set_thread_status(actor=office, thread=thread, status="snoozed", snoozed_until=until)
    thread.refresh_from_db()
    assert (thread.status, thread.snoozed_until) == ("snoozed", until)
    assert thread.updated_at > MONDAY


@pytest.mark.parametrize(
    ("status", "days"),
    [("gone", None), ("snoozed", None), ("snoozed", -1), ("snoozed", 400), ("open", 1)],
)
def test_a_status_that_makes_no_sense_is_refused(inbox, office, status, days):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    until = timezone.now() + timedelta(days=days) if days else None
    with pytest.raises(DomainError):
        set_thread_status(actor=office, thread=thread, status=status, snoozed_until=until)
    thread.refresh_from_db()
    assert thread.status == "open"


def test_labels_are_put_on_and_taken_off_a_thread_and_its_messages(inbox, office):
    message = receive_message(inbox=inbox, raw=letter())
    thread = label_thread(actor=office, thread=message.thread, add=["Lamps ", "Urgent"])
    assert set(thread.mailboxes.values_list("name", flat=True)) == {"Inbox", "Lamps", "Urgent"}
    label_thread(actor=office, thread=thread, add=["lamps"], remove=["URGENT", "None"])
    assert set(thread.mailboxes.values_list("name", flat=True)) == {"Inbox", "Lamps"}
    assert set(message.mailboxes.values_list("name", flat=True)) == {"Inbox", "Lamps"}


@pytest.mark.parametrize(
    "change", [{"add": ["inbox"]}, {"remove": ["Inbox"]}, {"add": ["Projects"]}]
)
def test_a_folder_is_no_label(inbox, office, change):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    there = Mailbox.objects.create(workspace=inbox.workspace, inbox=inbox, name="Projects")
    RemoteFolder.objects.create(account=inbox.account, mailbox=there, name="Projects")
    with pytest.raises(DomainError) as caught:
        label_thread(actor=office, thread=thread, **change)
    assert caught.value.field == f"{next(iter(change))}_labels"
    assert [mailbox.name for mailbox in thread.mailboxes.all()] == ["Inbox"]


def test_a_message_is_not_taken_from_where_it_lies_alone(inbox, office):
    message = receive_message(inbox=inbox, raw=letter())
    label_thread(actor=office, thread=message.thread, add=["Lamps"])
    message.mailboxes.set(Mailbox.objects.filter(name="Lamps"))
    with pytest.raises(DomainError) as caught:
        label_thread(actor=office, thread=message.thread, remove=["Lamps"])
    assert (caught.value.code, caught.value.field) == ("conflict", "remove_labels")


def test_a_change_of_a_thread_is_told_once_and_none_is_not(inbox, office):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    FactNote.objects.all().delete()
    set_thread_status(actor=office, thread=thread, status="open")
    label_thread(actor=office, thread=thread, remove=["Nothing"])
    assert not FactNote.objects.exists()
    set_thread_status(actor=office, thread=thread, status="closed")
    label_thread(actor=office, thread=thread, add=["Lamps"])
    told = list(FactNote.objects.values_list("fact", "payload"))
    assert told == [("thread.updated", {"thread_ids": [thread.pk]})] * 2


def test_a_thread_that_a_message_opens_is_told(inbox, office):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    until = timezone.now() + timedelta(days=1)
    set_thread_status(actor=office, thread=thread, status="snoozed", snoozed_until=until)
    FactNote.objects.all().delete()
    receive_message(inbox=inbox, raw=letter("two", in_reply_to="one", day=1))
    thread.refresh_from_db()
    assert (thread.status, thread.snoozed_until) == ("open", None)
    assert FactNote.objects.filter(fact="thread.updated").count() == 1


def test_a_snooze_ends_once_and_opens_the_thread_again(inbox, office):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    other = receive_message(inbox=inbox, raw=letter("else", subject="Chairs")).thread
    until = timezone.now() + timedelta(days=1)
    set_thread_status(actor=office, thread=thread, status="snoozed", snoozed_until=until)
    later = until + timedelta(days=1)
    set_thread_status(actor=office, thread=other, status="snoozed", snoozed_until=later)
    assert wake_threads(until - timedelta(seconds=1)) == 0
    FactNote.objects.all().delete()
    assert [wake_threads(until), wake_threads(until)] == [1, 0]
    thread.refresh_from_db()
    other.refresh_from_db()
    assert (thread.status, thread.snoozed_until, other.status) == ("open", None, "snoozed")
    assert FactNote.objects.filter(fact="thread.updated").count() == 1
    jobs.run_due()
    (receipt,) = Receipt.objects.filter(tool="thread_update")
    assert receipt.actor == "system:0"
    assert receipt.arguments == {"thread_id": thread.public_id, "status": "open"}


def test_a_closed_thread_stays_closed_when_its_old_snooze_would_have_ended(inbox, office):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    until = timezone.now() + timedelta(days=1)
    set_thread_status(actor=office, thread=thread, status="snoozed", snoozed_until=until)
    set_thread_status(actor=office, thread=thread, status="closed")
    assert wake_threads(until + timedelta(days=1)) == 0


@pytest.mark.parametrize("name", ["", "  ", "a" * 201, "a\x00b", "a\u202eb"])
def test_a_label_that_cannot_be_one_is_refused(inbox, office, name):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    with pytest.raises(DomainError):
        label_thread(actor=office, thread=thread, add=["Fine", name])
    assert thread.mailboxes.count() == 1


def test_a_thread_of_somebody_else_does_not_exist(inbox):
    thread = receive_message(inbox=inbox, raw=letter()).thread
    stranger = system_actor(factories.make_workspace().pk, "test")
    for change in (
        lambda: set_thread_status(actor=stranger, thread=thread, status="closed"),
        lambda: label_thread(actor=stranger, thread=thread, add=["Mine"]),
    ):
        with pytest.raises(DomainError) as caught:
            change()
        assert caught.value.code == "not_found"


def test_every_inbox_is_locked_in_turn(inbox):
    """What stores takes the inbox's row first; on SQLite the one writer is lock enough."""
    with CaptureQueriesContext(connection) as queries:
        receive_message(inbox=inbox, raw=letter())
    locks = [q["sql"] for q in queries if "FOR UPDATE" in q["sql"] and "inbox_inbox" in q["sql"]]
    assert bool(locks) == (connection.vendor == "postgresql")
    assert Inbox.objects.count() == Blob.objects.count() == 1
