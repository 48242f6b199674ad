"""What lies on a real server is mirrored: mailboxes, messages, keywords, moves, what vanishes."""

import pytest

from inbox.models import Mailbox, Message, SyncStatus
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.operations.accounts.connections import mail_store_of
from tests.inbox.syncing.mirrors import Mirror, connect_account, letter

pytestmark = pytest.mark.services


@pytest.fixture
def mirror(inbox, dovecot, user):
    return Mirror(connect_account(inbox, dovecot.settings(user)))


def test_the_first_sync_brings_every_mailbox_with_its_role(mirror, there):
    there.create_folder("Projects/Küche")
    there.append("INBOX", letter("First"), [b"\\Seen"])
    there.append("Sent", letter("Our answer", From="office@lantern.example"))
    there.append("Projects/Küche", letter("Tiles"), [b"\\Flagged", b"urgent"])
    assert mirror.sync()
    mirror.assert_agrees()
    assert mirror.state.status == SyncStatus.CURRENT
    assert mirror.state.first_done_at is not None
    assert (mirror.state.done, mirror.state.total) == (3, 3)
    [first] = mirror.messages("Inbox")
    assert (first.subject, first.keywords, first.direction) == ("First", ["$seen"], "inbound")
    assert [message.direction for message in mirror.messages("Sent")] == ["outbound"]
    [tiles] = mirror.messages("Projects/Küche")
    assert tiles.keywords == ["$flagged", "urgent"]
    roles = dict(RemoteFolder.objects.values_list("name", "mailbox__role"))
    assert {roles[name] for name in ("INBOX", "Sent", "Trash", "Projects/Küche")} == {
        "inbox", "sent", "trash", "",
    }  # fmt: skip


def test_reading_marks_nothing_as_read(mirror, there):
    there.append("INBOX", letter("First"))
    mirror.sync()
    there.select_folder("INBOX", readonly=True)
    assert b"\\Seen" not in there.get_flags([1])[1]


def test_a_resync_with_nothing_new_costs_few_commands(mirror, there, monkeypatch):
    there.append("INBOX", letter("First"))
    mirror.sync()
    before = RemoteMessage.objects.count()
    counted = []
    monkeypatch.setattr("inbox.syncing.session.mail_store_of", _counting(counted))
    mirror.sync()
    assert counted[0].commands <= 5
    assert RemoteMessage.objects.count() == before


def _counting(counted):
    def connect(account):
        counted.append(mail_store_of(account))
        return counted[-1]

    return connect


def test_news_is_brought_in(mirror, there):
    there.append("INBOX", letter("First"))
    mirror.sync()
    there.append("INBOX", letter("Second"))
    there.append("Archive", letter("Third"))
    mirror.sync()
    mirror.assert_agrees()
    assert mirror.subjects("Inbox") == ["First", "Second"]


def test_keywords_are_taken_over(mirror, there):
    there.append("INBOX", letter("First"), [b"\\Seen"])
    mirror.sync()
    there.select_folder("INBOX")
    there.add_flags([1], [b"\\Flagged", b"travel"])
    there.remove_flags([1], [b"\\Seen"])
    mirror.sync()
    mirror.assert_agrees()
    assert mirror.messages("Inbox")[0].keywords == ["$flagged", "travel"]


def test_what_another_program_moved_is_moved_here_and_not_made_anew(mirror, there):
    there.append("INBOX", letter("First"))
    mirror.sync()
    key = Message.objects.get().pk
    there.select_folder("INBOX")
    there.move([1], "Archive")
    mirror.sync()
    mirror.assert_agrees()
    message = Message.objects.get()
    assert (message.pk, message.deleted_at) == (key, None)
    assert [box.role for box in message.mailboxes.all()] == ["archive"]
    assert [box.role for box in message.thread.mailboxes.all()] == ["archive"]


def test_what_vanished_is_deleted_and_can_be_brought_back_for_a_while(mirror, there):
    for subject in ("First", "Second"):
        there.append("INBOX", letter(subject))
    mirror.sync()
    there.select_folder("INBOX")
    there.delete_messages([1])
    there.expunge()
    mirror.sync()
    mirror.assert_agrees()
    assert mirror.subjects("Inbox") == ["Second"]
    gone = Message.objects.exclude(deleted_at=None).get()
    assert gone.thread.message_count == 0


def test_two_copies_are_two_places_of_one_message(mirror, there):
    there.append("INBOX", letter("First"))
    mirror.sync()
    there.select_folder("INBOX")
    there.copy([1], "Archive")
    there.copy([1], "INBOX")
    mirror.sync()
    mirror.assert_agrees()
    message = Message.objects.get()
    assert message.places.count() == 3
    assert {box.role for box in message.mailboxes.all()} == {"inbox", "archive"}
    there.delete_messages([1])
    there.expunge()
    mirror.sync()
    mirror.assert_agrees()
    assert Message.objects.get().deleted_at is None


def test_a_renamed_mailbox_keeps_its_messages_and_is_not_read_again(mirror, there):
    there.create_folder("Old")
    there.append("Old", letter("First"))
    mirror.sync()
    key = Mailbox.objects.get(name="Old").pk
    there.rename_folder("Old", "New")
    mirror.sync()
    mirror.assert_agrees()
    assert Mailbox.objects.get(name="New").pk == key
    assert mirror.subjects("New") == ["First"]


def test_a_removed_mailbox_goes_with_its_messages(mirror, there):
    there.create_folder("Old")
    there.append("Old", letter("First"))
    there.append("Old", letter("Second"))
    mirror.sync()
    there.select_folder("Old")
    there.move([1], "INBOX")
    there.delete_folder("Old")
    mirror.sync()
    mirror.assert_agrees()
    assert mirror.subjects("Inbox") == ["First"]
    assert Message.objects.get(subject="Second").deleted_at is not None


def test_new_uids_for_a_whole_mailbox_fetch_nothing_anew(mirror, there, dovecot, user):
    for subject in ("First", "Second", "Third"):
        there.append("INBOX", letter(subject), [b"\\Flagged"])
    mirror.sync()
    keys = set(Message.objects.values_list("pk", flat=True))
    there.logout()
    (dovecot.maildir(user) / "dovecot-uidlist").unlink()
    for path in dovecot.maildir(user).glob("dovecot.index*"):
        path.unlink()
    mirror.sync()
    mirror.assert_agrees()
    assert set(Message.objects.values_list("pk", flat=True)) == keys
    assert not Message.objects.exclude(deleted_at=None).exists()


# Two letters in the name of a customer: what our own server found stands above the Received field
# that it wrote, what a sender wrote stands below.
TAKEN = {"Received": "from mx.evil.example (198.51.100.9) by edge.lantern.example with SMTP; now"}
RESULTS = {"Authentication-Results": "spf=pass smtp.mailfrom=customer.example; dmarc=pass header.from=customer.example"}  # fmt: skip


def unnamed(subject: str, *fields: dict[str, str]) -> bytes:
    lines = [f"{name}: {value}\r\n" for field in fields for name, value in field.items()]
    return "".join(lines).encode() + letter(subject)


def test_results_without_a_server_name_count_by_their_place_where_the_account_says_so(
    inbox, dovecot, user, there
):
    own = {"own_servers": "lantern.example"}
    mirror = Mirror(connect_account(inbox, {**dovecot.settings(user), **own}))
    there.append("INBOX", unnamed("Genuine", RESULTS, TAKEN))
    there.append("INBOX", unnamed("Forged", TAKEN, RESULTS))
    mirror.sync()
    verdicts = {it.subject: it.authentication for it in mirror.messages("Inbox")}
    assert verdicts == {"Genuine": "pass", "Forged": "none"}
    [genuine] = [it for it in mirror.messages("Inbox") if it.subject == "Genuine"]
    assert genuine.authentication_results["authserv_id"] == "edge.lantern.example"


def test_results_without_a_server_name_count_for_nothing_else(mirror, there):
    there.append("INBOX", unnamed("Genuine", RESULTS, TAKEN))
    mirror.sync()
    assert [it.authentication for it in mirror.messages("Inbox")] == ["none"]
