"""Changing messages on a real Dovecot, beside other clients, and waiting for what they do."""

import pytest

from inbox.providers.mail_store import StoreError
from tests.dovecot import run_dovecot
from tests.inbox.providers.imap.stores import LETTER, put, store_on

pytestmark = pytest.mark.services
NONE = frozenset()


def test_keywords_of_other_clients_stay(store, dovecot, user):
    put(store, b"a")
    with dovecot.client(user) as client:
        client.select_folder("INBOX")
        client.add_flags([1], [b"$Forwarded", b"\\Answered"])
    store.open("INBOX")
    store.store_keywords([1], add=frozenset({"$seen", "work"}), remove=frozenset({"$answered"}))
    assert store.keywords() == {1: {"$forwarded", "$seen", "work"}}


def test_keywords_of_a_message_that_is_gone_are_no_error(store):
    put(store, b"a")
    store.open("INBOX")
    store.store_keywords([1, 9], add=frozenset({"$seen"}), remove=NONE)
    assert store.keywords() == {1: {"$seen"}}


def test_a_keyword_that_imap_cannot_write_is_refused(store):
    put(store, b"a")
    store.open("INBOX")
    for keyword in ("two words", "a)b", "x\r\nc9 LOGOUT", "ä", ""):
        with pytest.raises(StoreError, match="cannot be a keyword") as error:
            store.store_keywords([1], add=frozenset({keyword}), remove=NONE)
        assert error.value.kind == "permanent"
    assert store.keywords() == {1: NONE}


def test_moved_messages_get_the_uids_that_are_told(store):
    put(store, b"a", b"b", b"c")
    put(store, b"z", into="Archive")
    store.open("INBOX")
    assert store.move([1, 3, 9], "Archive") == {1: 2, 3: 3}
    assert store.uids() == [2]


def test_moving_what_is_gone_tells_nothing(store):
    store.open("INBOX")
    assert store.move([5], "Archive") is None


def test_moving_to_a_mailbox_that_is_not_there(store):
    put(store, b"a")
    store.open("INBOX")
    with pytest.raises(StoreError) as error:
        store.move([1], "Nowhere")
    assert error.value.kind == "gone"
    assert store.uids() == [1]


def test_without_move_exactly_the_messages_are_copied_and_removed(user):
    with run_dovecot(capability="IMAP4rev1 UIDPLUS") as server, store_on(server, user) as store:
        put(store, b"a", b"b", b"c")
        store.open("INBOX")
        store.store_keywords([3], add=frozenset({"$deleted"}), remove=NONE)
        assert store.move([1], "Archive") == {1: 1}
        # What another client marked is still there.
        assert store.keywords() == {2: NONE, 3: {"$deleted"}}


def test_without_move_and_uidplus_nothing_is_moved_or_removed(user):
    with run_dovecot(capability="IMAP4rev1") as server, store_on(server, user) as store:
        put(store, b"a")
        store.open("INBOX")
        for act in (lambda: store.move([1], "Archive"), lambda: store.expunge([1])):
            with pytest.raises(StoreError, match="UIDPLUS") as error:
                act()
            assert error.value.kind == "permanent"
        assert store.keywords() == {1: NONE}


def test_only_the_named_messages_are_removed(store):
    put(store, b"a", b"b", b"c")
    store.open("INBOX")
    store.store_keywords([2], add=frozenset({"$deleted"}), remove=NONE)
    store.expunge([1])
    assert store.uids() == [2, 3]


def test_many_messages_are_changed_in_commands_of_bounded_length(store):
    put(store, *(b"%d" % number for number in range(12)))
    store.open("INBOX")
    everything = range(1, 3000, 2)
    store.store_keywords(everything, add=frozenset({"$seen"}), remove=NONE)
    assert sum("$seen" in keywords for keywords in store.keywords().values()) == 6


def test_a_message_with_a_nul_is_not_put_on_the_server(store):
    with pytest.raises(StoreError, match="NUL"):
        store.append("INBOX", LETTER % b"a" + b"\0", keywords=NONE, received_at=None)
