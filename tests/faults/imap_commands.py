"""The commands of the scripted IMAP peer that need no open mailbox (RFC 9051 6.1 to 6.3)."""

import base64
from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from tests.faults.imap_mailboxes import PeerMailbox
from tests.faults.imap_syntax import Command, compact, quoted, read_date, text_of

if TYPE_CHECKING:
    from tests.faults.imap_peer import ImapTalk

Act = Callable[["ImapTalk", Command], Any]


def capability(talk: "ImapTalk", command: Command) -> None:
    talk.untagged(f"CAPABILITY {talk.capabilities()}")
    talk.ok(command)


def identify(talk: "ImapTalk", command: Command) -> None:
    talk.untagged('ID ("name" "peer")')
    talk.ok(command)


def logout(talk: "ImapTalk", command: Command) -> None:
    talk.untagged("BYE see you")
    talk.finish(command, "OK")


def starttls(talk: "ImapTalk", command: Command) -> None:
    if talk.finish(command, "OK").startswith(f"{command.tag} OK".encode()):
        talk.start_tls()
        talk.encrypted = True


def log_in(talk: "ImapTalk", command: Command) -> None:
    _let_in(talk, command, text_of(command.words[1]))


def authenticate(talk: "ImapTalk", command: Command) -> None:
    """Take PLAIN, XOAUTH2 and OAUTHBEARER, with or without an initial response (RFC 4959)."""
    if len(command.words) > 1:
        response = text_of(command.words[1])
    else:
        talk.send(b"+ \r\n")
        response = talk.read_line().decode().strip()
    opened = base64.b64decode(response).decode("utf-8", "replace")
    if text_of(command.words[0]).upper() == "PLAIN":
        secret = opened.rpartition("\0")[2]
    else:
        secret = opened.partition("Bearer ")[2].partition("\x01")[0]
    _let_in(talk, command, secret)


def _let_in(talk: "ImapTalk", command: Command, secret: str) -> None:
    if talk.peer.password not in (None, secret):
        talk.finish(command, "NO", "[AUTHENTICATIONFAILED] no such user or password")
        return
    talk.finish(command, "OK", f"[CAPABILITY {talk.capabilities()}] welcome")


def enable(talk: "ImapTalk", command: Command) -> None:
    asked = {text_of(word).upper() for word in command.words}
    talk.qresync = talk.qresync or "QRESYNC" in asked
    talk.untagged(f"ENABLED {' '.join(sorted(asked & set(talk.peer.capabilities)))}")
    talk.ok(command)


def namespace(talk: "ImapTalk", command: Command) -> None:
    talk.untagged(f'NAMESPACE (("" "{talk.peer.delimiter}")) NIL NIL')
    talk.ok(command)


def list_mailboxes(talk: "ImapTalk", command: Command) -> None:
    """Answer LIST, with RETURN (SPECIAL-USE STATUS (…)) where asked (RFC 5258, 5819, 6154)."""
    words = [word for word in command.words if not isinstance(word, list)]
    pattern = text_of(words[1]).replace("%", "*")
    asked = _status_asked(command)
    if pattern == "":
        talk.untagged(f'LIST (\\Noselect) "{talk.peer.delimiter}" ""')
    for mailbox in list(talk.peer.mailboxes.values()):
        if not fnmatchcase(mailbox.name, pattern):
            continue
        flags = [mailbox.use] if mailbox.use else []
        flags += [] if mailbox.selectable else ["\\Noselect"]
        line = f'({" ".join(flags)}) "{talk.peer.delimiter}" {quoted(mailbox.name)}'
        talk.untagged(f"{command.name} {line}")
        if asked and mailbox.selectable:
            talk.untagged(_status_line(talk, mailbox, asked))
    talk.ok(command)


def _status_asked(command: Command) -> list[str]:
    if "RETURN" not in [str(word).upper() for word in command.words]:
        return []
    options = command.words[-1]
    names = [str(option).upper() if not isinstance(option, list) else "" for option in options]
    return list(options[names.index("STATUS") + 1]) if "STATUS" in names else []


def status(talk: "ImapTalk", command: Command) -> None:
    mailbox = talk.peer.mailboxes[text_of(command.words[0])]
    talk.untagged(_status_line(talk, mailbox, command.words[1]))
    talk.ok(command)


def _status_line(talk: "ImapTalk", mailbox: PeerMailbox, asked: list[str]) -> str:
    with talk.peer.lock:
        messages = mailbox.messages.values()
        values = {
            "MESSAGES": len(messages), "UIDNEXT": mailbox.uidnext,
            "UIDVALIDITY": mailbox.uidvalidity, "HIGHESTMODSEQ": mailbox.modseq, "RECENT": 0,
            "UNSEEN": sum("\\Seen" not in message.flags for message in messages),
            "SIZE": sum(len(message.raw) for message in messages),
        }  # fmt: skip
    told = " ".join(f"{name.upper()} {values[name.upper()]}" for name in asked)
    return f"STATUS {quoted(mailbox.name)} ({told})"


def create(talk: "ImapTalk", command: Command) -> None:
    name = text_of(command.words[0])
    with talk.peer.lock:
        if name in talk.peer.mailboxes:
            talk.finish(command, "NO", "[ALREADYEXISTS] it is there")
            return
        talk.peer.mailboxes[name] = PeerMailbox(name, uidvalidity=len(talk.peer.mailboxes) + 2000)
    talk.ok(command)


def delete(talk: "ImapTalk", command: Command) -> None:
    with talk.peer.lock:
        del talk.peer.mailboxes[text_of(command.words[0])]
    talk.ok(command)


def rename(talk: "ImapTalk", command: Command) -> None:
    old, new = (text_of(word) for word in command.words)
    with talk.peer.lock:
        mailbox = talk.peer.mailboxes.pop(old)
        mailbox.name = new
        talk.peer.mailboxes[new] = mailbox
    talk.ok(command)


def select(talk: "ImapTalk", command: Command) -> None:
    """Open a mailbox; with QRESYNC tell what changed and vanished since (RFC 7162 3.2.5)."""
    talk.selected = None
    mailbox = talk.peer.mailboxes[text_of(command.words[0])]
    if not mailbox.selectable:
        raise KeyError(mailbox.name)
    with talk.peer.lock:
        talk.view, talk.told = sorted(mailbox.messages), mailbox.modseq
        keywords = {
            flag for it in mailbox.messages.values() for flag in it.flags if flag[0] != "\\"
        }
    talk.read_only = command.name == "EXAMINE"
    flags = " ".join(["\\Answered \\Flagged \\Deleted \\Seen \\Draft", *sorted(keywords)])
    talk.untagged(f"FLAGS ({flags})")
    talk.untagged(f"OK [PERMANENTFLAGS ({flags} \\*)] limited")
    talk.untagged(f"{len(talk.view)} EXISTS")
    talk.untagged("0 RECENT")
    talk.untagged(f"OK [UIDVALIDITY {mailbox.uidvalidity}] valid")
    talk.untagged(f"OK [UIDNEXT {mailbox.uidnext}] next")
    if "CONDSTORE" in talk.peer.capabilities:
        talk.untagged(f"OK [HIGHESTMODSEQ {talk.told}] highest")
    talk.selected = mailbox
    _resynchronize(talk, mailbox, command)
    talk.finish(command, "OK", f"[READ-{'ONLY' if talk.read_only else 'WRITE'}] open")


def _resynchronize(talk: "ImapTalk", mailbox: PeerMailbox, command: Command) -> None:
    options = command.words[1] if len(command.words) > 1 else []
    names = [str(option).upper() if not isinstance(option, list) else "" for option in options]
    if "QRESYNC" not in names:
        return
    uidvalidity, modseq, *_ = (text_of(word) for word in options[names.index("QRESYNC") + 1])
    if int(uidvalidity) != mailbox.uidvalidity:
        return
    with talk.peer.lock:
        gone = {uid for when, uid in mailbox.gone if when > int(modseq)}
        changed = [it for it in mailbox.messages.values() if it.modseq > int(modseq)]
    if gone:
        talk.untagged(f"VANISHED (EARLIER) {compact(gone)}")
    for message in changed:
        flags = " ".join(sorted(message.flags))
        number = talk.view.index(message.uid) + 1
        talk.untagged(
            f"{number} FETCH (UID {message.uid} FLAGS ({flags}) MODSEQ ({message.modseq}))"
        )


def append(talk: "ImapTalk", command: Command) -> None:
    """Put a message in: mailbox, flags, date, the message itself; the last is always there."""
    name, *optional, raw = command.words
    flags = next((set(word) for word in optional if isinstance(word, list)), set())
    date = next((read_date(text_of(word)) for word in optional if isinstance(word, str)), None)
    mailbox = talk.peer.mailboxes.get(text_of(name))
    if mailbox is None:
        talk.finish(command, "NO", "[TRYCREATE] there is no such mailbox")
        return
    with talk.peer.lock:
        uid = mailbox.add(raw if isinstance(raw, bytes) else raw.encode(), flags, date)
    told = (
        f"[APPENDUID {mailbox.uidvalidity} {uid}] " if "UIDPLUS" in talk.peer.capabilities else ""
    )
    talk.ok(command, f"{told}done")


def done(talk: "ImapTalk", command: Command) -> None:
    talk.ok(command)


COMMANDS: dict[str, Act] = {
    "CAPABILITY": capability, "ID": identify, "LOGOUT": logout, "STARTTLS": starttls,
    "LOGIN": log_in, "AUTHENTICATE": authenticate, "ENABLE": enable, "NAMESPACE": namespace,
    "LIST": list_mailboxes, "LSUB": list_mailboxes, "STATUS": status, "CREATE": create,
    "DELETE": delete, "RENAME": rename, "SUBSCRIBE": done, "UNSUBSCRIBE": done, "SELECT": select,
    "EXAMINE": select, "APPEND": append, "NOOP": done,
}  # fmt: skip
