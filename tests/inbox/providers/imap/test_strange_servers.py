"""What servers in use say otherwise than most, each as it was seen."""

from inbox.accounts.credentials import Secret
from inbox.providers.base import Connection
from inbox.providers.imap.store import ImapStore
from inbox.providers.mail_store import FolderState
from inbox.providers.sent_copies import put_copy
from tests.faults.imap_peer import ImapPeer
from tests.inbox.syncing.mirrors import letter


def test_a_mailbox_without_a_mod_sequence_among_others_that_have_one(says):
    store = says(
        b"* STATUS Parent (UIDVALIDITY 1 UIDNEXT 1 MESSAGES 0 HIGHESTMODSEQ NIL)\r\n",
        b"IMAP4rev1 CONDSTORE",
    )
    assert store.folder_state("Parent") == FolderState(1, 1, 0, None)


def refuse_where_it_is_open_to_read(talk, usual):
    if talk.read_only and talk.selected.name == "Sent":
        return talk.send(usual.split(b" ")[0] + b" NO Current box is selected READ-ONLY.\r\n")
    return talk.send(usual)


def test_a_copy_is_put_where_nothing_is_taken_into_a_mailbox_open_to_read():
    with ImapPeer(script={"APPEND": refuse_where_it_is_open_to_read}) as peer:
        settings = {
            "imap_host": "127.0.0.1", "imap_port": peer.port, "imap_security": "none",
            "imap_timeout": 5, "username": "office",
        }  # fmt: skip
        connection = Connection("office@lantern.example", settings, Secret("word"))
        for _ in range(2):
            with ImapStore.connect(connection) as store:
                put_copy(store, letter("Once"), "Once@customer.example", None)
        assert len(peer.mailboxes["Sent"].messages) == 1
