"""Reading mailboxes and messages of a real Dovecot."""

import pytest

from inbox.providers.imap import fetching
from inbox.providers.mail_store import FolderState, StoreError
from tests.dovecot import run_dovecot
from tests.inbox.providers.imap.stores import LETTER, NOON, put, store_on

pytestmark = pytest.mark.services


def test_folders_come_with_roles_and_states_by_one_command(connect):
    store = connect("tls")
    before = store.commands
    folders = {folder.name: folder for folder in store.folders()}
    assert store.commands == before + 1
    roles = {name: folder.role for name, folder in folders.items()}
    assert roles == {
        "INBOX": "inbox", "Archive": "archive", "Drafts": "drafts", "Junk": "junk",
        "Sent": "sent", "Trash": "trash",
    }  # fmt: skip
    assert folders["INBOX"].state.uidnext == 1
    assert folders["INBOX"].state.highest_modseq is not None


@pytest.mark.parametrize("security", ["none", "starttls", "tls"])
def test_a_look_that_finds_nothing_new_takes_at_most_five_commands(connect, security):
    store = connect(security)
    store.folders()
    store.close()
    assert store.commands <= 5


def test_a_message_comes_back_byte_for_byte(store):
    raw = b"Subject: =?utf-8?q?L=C3=A4mpe?=\r\n\r\n\xff\xfe {12}\r\n\r\n" + b"x" * 5000 + b"\r\n"
    store.append("INBOX", raw, keywords=frozenset({"$seen", "work"}), received_at=NOON)
    store.open("INBOX")
    (fetched,) = store.fetch([1])
    assert fetched.raw == raw
    assert fetched.keywords == {"$seen", "work"}
    assert fetched.received_at == NOON


def test_reading_marks_nothing_as_read(store):
    put(store, b"a")
    store.open("INBOX")
    list(store.fetch([1]))
    assert store.keywords() == {1: frozenset()}


def test_messages_come_in_the_order_asked_for_and_missing_ones_are_left_out(store):
    put(store, b"a", b"b", b"c")
    store.open("INBOX")
    assert [fetched.uid for fetched in store.fetch([3, 1, 77])] == [3, 1]


def test_many_messages_are_fetched_in_batches_bounded_by_bytes(store, monkeypatch):
    monkeypatch.setattr(fetching, "BATCH_BYTES", 200)
    put(store, *(b"%d" % number for number in range(7)))
    store.open("INBOX")
    before = store.commands
    assert [fetched.uid for fetched in store.fetch(range(1, 8))] == list(range(1, 8))
    assert store.commands - before == 1 + 4  # the sizes, and two messages at a time


def test_a_message_that_is_too_large_is_left_out_but_its_size_is_told(store, monkeypatch):
    monkeypatch.setattr(fetching, "LARGEST_MESSAGE", 1000)
    put(store, b"a")
    store.append("INBOX", LETTER % b"b" + b"x" * 2000, keywords=frozenset(), received_at=None)
    store.open("INBOX")
    assert [fetched.uid for fetched in store.fetch([1, 2])] == [1]
    assert store.sizes([1, 2])[2] > 2000


def test_uids_are_listed_by_range(store):
    put(store, b"a", b"b", b"c")
    store.open("INBOX")
    assert store.uids() == [1, 2, 3]
    assert store.uids(2) == [2, 3]
    assert store.uids(1, 2) == [1, 2]
    assert store.uids(4) == []
    assert store.uids(3, 2) == []


def test_an_empty_mailbox_has_nothing(store):
    store.open("INBOX")
    assert store.uids() == []
    assert store.keywords() == {}
    assert list(store.fetch([1, 2])) == []
    assert store.sizes([]) == {}


def test_only_keywords_changed_since_are_told(store):
    put(store, b"a", b"b")
    state = store.open("INBOX").state
    store.store_keywords([2], add=frozenset({"$flagged"}), remove=frozenset())
    assert store.keywords(changed_since=state.highest_modseq) == {2: {"$flagged"}}


def test_opening_with_what_we_know_tells_what_changed_and_vanished(connect):
    ours, theirs = connect(), connect()
    put(ours, b"a", b"b", b"c", b"d")
    known = ours.open("INBOX").state
    theirs.open("INBOX")
    theirs.store_keywords([1], add=frozenset({"$seen"}), remove=frozenset())
    theirs.expunge([2, 3])
    put(theirs, b"e")
    again = connect()
    opened = again.open("INBOX", known=known)
    assert opened.changed[1] == {"$seen"}
    assert opened.vanished == {2, 3}
    assert opened.state.messages == 3
    assert again.uids(known.uidnext) == [5]


def test_opening_with_another_uidvalidity_tells_nothing_of_the_time_since(store):
    put(store, b"a")
    state = store.open("INBOX").state
    known = FolderState(state.uidvalidity - 1, state.uidnext, 1, state.highest_modseq)
    opened = store.open("INBOX", known=known)
    assert opened.changed is None
    assert opened.vanished is None


def test_without_qresync_nothing_is_told_of_the_time_since(user):
    extensions = "IMAP4rev1 CONDSTORE UIDPLUS LITERAL+ SPECIAL-USE"
    with run_dovecot(capability=extensions) as server, store_on(server, user) as store:
        assert store.features == {"condstore", "uidplus", "special-use"}
        put(store, b"a")
        known = store.open("INBOX").state
        assert store.open("INBOX", known=known).changed is None
        assert known.highest_modseq is not None


def test_a_server_with_no_extensions_can_be_read(user):
    with run_dovecot(capability="IMAP4rev1", roles=False) as server:
        with server.client(user) as client:
            for name in ("Gesendet", "Papierkorb", "Lampen", "Lampen/Sent"):
                client.create_folder(name)
        with store_on(server, user) as store:
            store.append("INBOX", LETTER % b"a", keywords=frozenset(), received_at=None)
            roles = {folder.name: folder.role for folder in store.folders()}
            state = store.open("INBOX").state
            assert store.uids() == [1]
            assert store.find("INBOX", "<a@lantern.example>") == [1]
            assert store.folder_state("INBOX").uidnext == state.uidnext == 2
    assert roles == {
        "INBOX": "inbox", "Gesendet": "sent", "Papierkorb": "trash", "Lampen": "",
        "Lampen/Sent": "",
    }  # fmt: skip
    assert state.highest_modseq is None


def test_names_in_any_writing_are_read_and_written(store):
    names = ["Büro & Lager", "倉庫", "Ламп", 'quoted "oil"', "a\\b", "7"]
    for name in names:
        store.create(name)
    assert set(names) <= {folder.name for folder in store.folders()}
    for name in names:
        assert put(store, b"a", into=name) == [1]
        assert store.open(name).state.messages == 1


def test_making_a_mailbox_twice_is_no_error_and_it_is_subscribed(store, dovecot, user):
    store.create("Lamps")
    store.create("Lamps")
    with dovecot.client(user) as client:
        assert "Lamps" in {name for _, _, name in client.list_sub_folders()}


def test_a_message_is_found_by_exactly_its_message_id(store):
    put(store, b"a", b"aa", b"a")
    assert store.find("INBOX", "<a@lantern.example>") == [1, 3]
    assert store.find("INBOX", "<lantern.example>") == []


def test_opening_to_read_only(store):
    put(store, b"a")
    assert store.open("INBOX").writable
    assert not store.open("INBOX", read_only=True).writable


def test_a_mailbox_that_is_not_there_is_gone(store):
    for ask in (store.open, store.folder_state):
        with pytest.raises(StoreError) as error:
            ask("Nowhere")
        assert error.value.kind == "gone"
    assert store.open("INBOX").state.messages == 0
