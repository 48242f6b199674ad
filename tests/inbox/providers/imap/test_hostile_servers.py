"""Servers that send too much, too long, too slowly, or what nobody asked for."""

import time
import tracemalloc

import pytest

from inbox.providers.imap import connection
from inbox.providers.mail_store import FolderState, StoreError
from tests.patience import LONG

LIST = b'* LIST (\\HasNoChildren) "/" %b\r\n'


def refuses(act, match=None):
    with pytest.raises(StoreError, match=match) as error:
        act()
    assert error.value.kind == "transient"


def peak_of(act) -> int:
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# -- too much --------------------------------------------------------------------------------------
def test_a_greeting_without_end(speaker):
    speaker.greeting = b"* OK " + b"x" * 1_000_000
    refuses(speaker.connect, "endless line")


def test_a_greeting_that_is_none(speaker):
    for greeting in (b"220 smtp.example\r\n", b"* FETCH 1\r\n", b"+ go on\r\n", b"\r\n", b"* \r\n"):
        speaker.greeting = greeting
        refuses(speaker.connect, "IMAP")


def test_a_line_without_end(says, monkeypatch):
    monkeypatch.setattr("inbox.providers.imap.logging_in.LONGEST_LINE", 100_000)
    store = says(b"* LIST " + b"x" * 3_000_000)
    refuses(store.folders, "endless line")


def test_a_literal_is_not_believed_beyond_what_was_asked_for(says):
    store = says(b"* 1 FETCH (UID 1 RFC822.SIZE 10)\r\n* 1 FETCH (UID 1 BODY[] {4000000000}\r\nxx")
    assert peak_of(lambda: refuses(lambda: list(store.fetch([1])), "more than")) < 5_000_000


def test_responses_without_end_stop_at_the_budget(says, monkeypatch):
    monkeypatch.setattr(connection.ImapConnection.execute, "__kwdefaults__",
        connection.ImapConnection.execute.__kwdefaults__ | {"budget": 100_000})  # fmt: skip
    monkeypatch.setattr("inbox.providers.imap.session.Session.run.__kwdefaults__", {
        "reader": None, "challenged": None, "budget": 100_000})  # fmt: skip
    store = says(b"* 1 FETCH (UID 1 FLAGS ())\r\n" * 10_000)
    refuses(store.keywords, "more than")


def test_a_set_of_all_uids_there_may_be_is_refused(says):
    store = says(b'* ESEARCH (TAG "c2") UID ALL 1:4294967295\r\n', b"IMAP4rev1 ESEARCH")
    store.open("INBOX")
    assert peak_of(lambda: refuses(store.uids, "more messages than")) < 5_000_000


def test_all_uids_vanished_counts_only_for_those_we_know(says):
    said = (
        b"* ENABLED QRESYNC\r\n* OK [HIGHESTMODSEQ 9] ok\r\n* VANISHED (EARLIER) 1:4294967295\r\n"
    )
    store = says(said, b"IMAP4rev1 ENABLE CONDSTORE QRESYNC")
    opened = store.open("INBOX", known=FolderState(1, 5, 3, 7))
    assert opened.vanished == {1, 2, 3, 4}


def test_more_folders_than_anybody_has(says):
    store = says(b"".join(LIST % (b"f%d" % number) for number in range(10_001)))
    with pytest.raises(StoreError, match="more than 10000 mailboxes"):
        store.folders()


def test_parentheses_without_end(says):
    store = says(b"* LIST " + b"(" * 100_000 + b"\r\n")
    refuses(store.folders, "cannot be read")


def test_requests_for_the_password_again_and_again(speaker):
    speaker.answer = lambda line: b"+ again\r\n" * 10
    refuses(speaker.connect, "asks for more")


def test_a_request_for_the_message_twice(says):
    store = says(b"+ go on\r\n+ once more\r\n")
    refuses(
        lambda: store.append("INBOX", b"a\r\n", keywords=frozenset(), received_at=None), "asks for"
    )


# -- too slowly ------------------------------------------------------------------------------------
def test_silence(speaker):
    speaker.answer = lambda line: b""
    start = time.monotonic()
    refuses(speaker.connect, "no answer in time")
    assert time.monotonic() - start < LONG


def test_a_drop_now_and_then_does_not_hold_us(speaker, monkeypatch):
    store = None

    def dawdle(line):
        if line == "credentials":
            return b"TAG OK [CAPABILITY IMAP4rev1] in\r\n"
        time.sleep(0.1)
        return b"* OK"

    speaker.answer = dawdle
    store = speaker.connect(imap_timeout=0.5)
    start = time.monotonic()
    refuses(store.folders)
    assert time.monotonic() - start < LONG


def test_after_that_the_connection_is_over(says):
    store = says(b"what?\r\n")
    refuses(store.folders)
    refuses(store.folders)
    store.close()


def test_closing_never_raises_nor_waits_long(speaker):
    speaker.answer = lambda line: (
        b"TAG OK [CAPABILITY IMAP4rev1] in\r\n" if line != "LOGOUT" else b""
    )
    store = speaker.connect()
    start = time.monotonic()
    store.close()
    store.close()
    assert time.monotonic() - start < LONG


# -- what nobody asked for -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "said",
    [
        b"c99 OK done\r\n", b"TAG MAYBE\r\n", b"hello\r\n", b"* \xff\xfe\r\n", b"TAG\r\n", b"*\r\n",
        b"* 99999999999 EXISTS\r\n", b"* LIST\r\n", b'* LIST () "/\r\n', b"* LIST (a) {3}\r\nab)\r\n",
        b"* LIST x y z\r\n", b"* STATUS INBOX (UIDNEXT)\r\n", b"* STATUS INBOX 7\r\n",
        b"* STATUS INBOX (UIDVALIDITY -1 UIDNEXT 1 MESSAGES 1)\r\n",
        b"* STATUS INBOX (UIDVALIDITY 1 UIDNEXT 99999999999999999999 MESSAGES 1)\r\n",
    ],
)  # fmt: skip
def test_what_is_no_list_of_mailboxes(says, said):
    refuses(says(said).folders)


@pytest.mark.parametrize(
    "said",
    [
        b"* 1 FETCH (UID 0 FLAGS ())\r\n", b"* 1 FETCH (UID 4294967296 FLAGS ())\r\n",
        b"* 1 FETCH (UID x FLAGS ())\r\n", b"* 1 FETCH (UID 1 FLAGS x)\r\n", b"* 1 FETCH UID\r\n",
        b"* 1 FETCH (UID 1 FLAGS (\r\n",
    ],
)  # fmt: skip
def test_what_are_no_flags(says, said):
    store = says(said)
    store._session.opened = b"INBOX"
    refuses(store.keywords)


def test_flags_of_messages_that_were_not_asked_for_are_left_out(says):
    store = says(b"* 1 FETCH (UID 1 FLAGS (\\Seen))\r\n* 2 FETCH (UID 7 FLAGS ())\r\n")
    assert store.keywords(5, 9) == {7: frozenset()}


def test_messages_that_were_not_asked_for_are_left_out(says):
    store = says(
        b"* 1 FETCH (UID 1 RFC822.SIZE 2)\r\n* 2 FETCH (UID 2 RFC822.SIZE 2)\r\n"
        b"* 1 FETCH (FLAGS (\\Seen))\r\n* 1 FETCH (UID 1 FLAGS (\\Flagged))\r\n"
        b"* 2 FETCH (UID 2 BODY[] {2}\r\nno FLAGS ())\r\n"
        b"* 1 FETCH (UID 1 BODY[] {3}\r\nyes FLAGS (\\Draft))\r\n"
    )
    (fetched,) = store.fetch([1])
    assert (fetched.uid, fetched.raw, fetched.keywords) == (1, b"yes", {"$draft"})


def test_a_message_that_the_server_cannot_read_comes_without_bytes(says):
    store = says(b"* 1 FETCH (UID 1 RFC822.SIZE 2)\r\n* 1 FETCH (UID 1 BODY[] NIL FLAGS ())\r\n")
    (fetched,) = store.fetch([1])
    assert fetched.raw == b""
    assert fetched.received_at is None


def test_quoted_bodies_and_odd_dates_are_read(says):
    store = says(
        b"* 1 FETCH (UID 1 RFC822.SIZE 2)\r\n"
        b'* 1 FETCH (INTERNALDATE "32-Foo-2024 12:00:00" BODY[] "a \\"b\\"" UID 1 FLAGS (a "b" 7))\r\n'
    )
    (fetched,) = store.fetch([1])
    assert fetched.raw == b'a "b"'
    assert fetched.received_at is None
    assert fetched.keywords == {"a", "b", "7"}


def test_names_that_cannot_be_read_are_left_out(says):
    odd = (b'"&AAA"', b'"a&!-"', b'""', b'"\xff"', b'"' + b"x" * 2000 + b'"')
    store = says(b"".join(LIST % name for name in (*odd, b'"Lamps"', b"{5}\r\nOil 1")))
    names = [folder.name for folder in store.folders()]
    assert {"Lamps", "Oil 1"} <= set(names)
    assert all(len(name) <= 1000 for name in names)


def test_a_name_with_a_line_end_leads_to_no_command(says, speaker):
    store = says((LIST % b"{16}\r\nx\r\nc9 DELETE INB") + (LIST % b'"&AAoAAA-"'))
    assert store.folders() == []
    with pytest.raises(StoreError, match="control characters"):
        store.find("INBOX", "<x>\r\nc9 DELETE INBOX")
    store.open("x\r\nc9 DELETE INBOX")
    assert not any(line.startswith("c9") for line in speaker.lines)


def test_numbers_and_nil_are_names_too(says):
    store = says((LIST % b"7") + (LIST % b'"NIL"') + (LIST % b"inbox"))
    assert [(f.name, f.role) for f in store.folders()] == [
        ("INBOX", "inbox"),
        ("7", ""),
        ("NIL", ""),
    ]


def test_virtual_mailboxes_are_not_to_be_opened(says):
    store = says(
        b'* LIST (\\All) "/" "[Gmail]/All Mail"\r\n* LIST (\\Flagged) "/" "[Gmail]/Starred"\r\n'
        b'* LIST (\\Noselect) "/" "[Gmail]"\r\n* LIST (\\Sent) "/" "[Gmail]/Sent Mail"\r\n'
    )
    folders = {folder.name: (folder.role, folder.selectable) for folder in store.folders()}
    assert folders == {
        "[Gmail]": ("", False), "[Gmail]/All Mail": ("archive", True),
        "[Gmail]/Sent Mail": ("sent", True), "[Gmail]/Starred": ("", False),
    }  # fmt: skip


@pytest.mark.parametrize("attributes", [b"\\Archive", b""])
def test_all_mail_is_the_archive_only_where_there_is_none(says, attributes):
    store = says(b'* LIST (\\All) "/" "A"\r\n* LIST (%b) "/" "Archive"\r\n' % attributes)
    roles = {folder.name: folder.role for folder in store.folders()}
    assert roles == {"A": "", "Archive": "archive"}


def test_a_mailbox_without_uidvalidity_is_refused(speaker):
    speaker.answer = lambda line: b"TAG OK [CAPABILITY IMAP4rev1] done\r\n"
    with pytest.raises(StoreError, match="UIDVALIDITY") as error:
        speaker.connect().open("INBOX")
    assert error.value.kind == "permanent"


@pytest.mark.parametrize(
    "code",
    [b"COPYUID", b"COPYUID 1 1", b"COPYUID 1 1:5 7", b"COPYUID 1 1 2:99999", b"COPYUID 1 9 9"],
)
def test_new_uids_that_do_not_fit_are_not_told(says, code):
    store = says(b"* OK [%b] moved\r\n" % code, b"IMAP4rev1 MOVE UIDPLUS")
    assert store.move([1], "Archive") is None
