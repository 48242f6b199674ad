"""The commands of the scripted IMAP peer about the messages of the open mailbox (RFC 9051 6.4)."""

import re
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tests.faults.imap_mailboxes import Stored
from tests.faults.imap_syntax import Command, as_date, compact, numbers_in, text_of

if TYPE_CHECKING:
    from tests.faults.imap_peer import ImapTalk

Act = Callable[["ImapTalk", Command], Any]
_SECTION = re.compile(r"BODY(?:\.PEEK)?\[(.*?)\](?:<(\d+)\.(\d+)>)?", re.IGNORECASE)
_MACROS = {"ALL": ["FLAGS", "INTERNALDATE", "RFC822.SIZE"], "FAST": ["FLAGS", "RFC822.SIZE"]}


def asked_for(talk: "ImapTalk", command: Command, words: str) -> list[int]:
    """Return the UIDs that a set means, by UID or by sequence number, as the client sees them."""
    if command.name.startswith("UID "):
        wanted = numbers_in(words, talk.view[-1] if talk.view else 0)
        return [uid for uid in talk.view if uid in wanted]
    wanted = numbers_in(words, len(talk.view))
    return [uid for number, uid in enumerate(talk.view, 1) if number in wanted]


def flags_line(talk: "ImapTalk", message: Stored, more: str = "") -> str:
    number = talk.view.index(message.uid) + 1
    flags = " ".join(sorted(message.flags))
    modseq = f" MODSEQ ({message.modseq})" if "CONDSTORE" in talk.peer.capabilities else ""
    return f"{number} FETCH (UID {message.uid} FLAGS ({flags}){modseq}{more})"


# -- reading ---------------------------------------------------------------------------------------
def fetch(talk: "ImapTalk", command: Command) -> None:
    items = command.words[1] if isinstance(command.words[1], list) else [command.words[1]]
    items = [text_of(item).upper() for item in items]
    items = [item for name in items for item in _MACROS.get(name, [name])]
    options = [text_of(word).upper() for word in (command.words[2] if command.words[2:] else [])]
    since = int(options[options.index("CHANGEDSINCE") + 1]) if "CHANGEDSINCE" in options else 0
    uids = asked_for(talk, command, text_of(command.words[0]))
    if "VANISHED" in options:
        _tell_vanished(talk, command, since)
    for uid in uids:
        talk.answer("message", b"")
        with talk.peer.lock:
            message = talk.selected.messages.get(uid)
            line = None
            if message is not None and message.modseq > since:
                line = _fetched(talk, command, message, items, with_modseq=bool(since))
        if line is not None:
            talk.untagged(line)
    talk.ok(command)


def _tell_vanished(talk: "ImapTalk", command: Command, since: int) -> None:
    wanted = numbers_in(text_of(command.words[0]), talk.selected.uidnext)
    with talk.peer.lock:
        gone = {uid for when, uid in talk.selected.gone if when > since} & wanted
    if gone:
        talk.untagged(f"VANISHED (EARLIER) {compact(gone)}")


def _fetched(
    talk: "ImapTalk", command: Command, message: Stored, items: list[str], *, with_modseq: bool
) -> bytes:
    if command.name.startswith("UID ") and "UID" not in items:
        items = ["UID", *items]
    if with_modseq and "MODSEQ" not in items:
        items = [*items, "MODSEQ"]
    marks = any(item.startswith(("BODY[", "RFC822")) and item != "RFC822.SIZE" for item in items)
    if marks and not talk.read_only:
        talk.selected.flag(message.uid, message.flags | {"\\Seen"})
    number = talk.view.index(message.uid) + 1
    values = b" ".join(_item(message, item) for item in items)
    return f"{number} FETCH (".encode() + values + b")"


def _item(message: Stored, item: str) -> bytes:
    simple = {
        "UID": lambda: f"UID {message.uid}",
        "FLAGS": lambda: f"FLAGS ({' '.join(sorted(message.flags))})",
        "INTERNALDATE": lambda: f"INTERNALDATE {as_date(message.at)}",
        "RFC822.SIZE": lambda: f"RFC822.SIZE {len(message.raw)}",
        "MODSEQ": lambda: f"MODSEQ ({message.modseq})",
    }
    if item in simple:
        return simple[item]().encode()
    if item == "RFC822":
        return b"RFC822 " + _literal(message.raw)
    found = _SECTION.fullmatch(item)
    if found is None:
        raise ValueError(item)
    content = _section(message.raw, found[1])
    name = f"BODY[{found[1]}]"
    if found[2] is not None:
        start, size = int(found[2]), int(found[3])
        content, name = content[start : start + size], f"{name}<{start}>"
    return name.encode() + b" " + _literal(content)


def _section(raw: bytes, section: str) -> bytes:
    head, end, body = raw.partition(b"\r\n\r\n")
    if section == "":
        return raw
    if section == "HEADER":
        return head + end
    if section == "TEXT":
        return body
    if section.startswith("HEADER.FIELDS ("):
        names = section.partition("(")[2].rstrip(")").replace('"', "").split()
        fields = re.split(rb"\r\n(?![ \t])", head)
        kept = [it for it in fields if it.partition(b":")[0].decode().upper() in names]
        return b"".join(it + b"\r\n" for it in kept) + b"\r\n"
    raise ValueError(section)


def _literal(data: bytes) -> bytes:
    return b"{%d}\r\n%s" % (len(data), data)


def search(talk: "ImapTalk", command: Command) -> None:
    """Find by all keys that are given: sets, UID, HEADER, flags, NOT, MODSEQ, and dates not."""
    keys = list(command.words)
    if keys and text_of(keys[0]).upper() == "CHARSET":
        keys = keys[2:]
    with talk.peer.lock:
        found = [talk.selected.messages[uid] for uid in talk.view if uid in talk.selected.messages]
    while keys:
        found = _narrow(talk, command, found, keys)
    by_uid = command.name.startswith("UID ")
    numbers = [it.uid if by_uid else talk.view.index(it.uid) + 1 for it in found]
    talk.untagged("SEARCH" + "".join(f" {number}" for number in numbers))
    talk.ok(command)


def _narrow(talk: "ImapTalk", command: Command, found: list[Stored], keys: list) -> list[Stored]:
    key = keys.pop(0)
    name = text_of(key).upper()
    if isinstance(key, list):
        keys[:0] = key
        return found
    if name == "NOT":
        out = {it.uid for it in _narrow(talk, command, found, keys)}
        return [it for it in found if it.uid not in out]
    if name == "HEADER":
        field, value = text_of(keys.pop(0)), text_of(keys.pop(0))
        return [it for it in found if _has_header(it.raw, field, value)]
    if name == "MODSEQ":
        least = int(text_of(keys.pop(0)))
        return [it for it in found if it.modseq >= least]
    if name in ("KEYWORD", "UNKEYWORD"):
        flag = text_of(keys.pop(0))
        return [it for it in found if (flag in it.flags) == (name == "KEYWORD")]
    return _by_word(talk, command, found, name, keys)


def _by_word(
    talk: "ImapTalk", command: Command, found: list[Stored], name: str, keys: list
) -> list[Stored]:
    if name == "ALL":
        return found
    if name == "UID":
        wanted = numbers_in(text_of(keys.pop(0)), talk.view[-1] if talk.view else 0)
        return [it for it in found if it.uid in wanted]
    for flag in ("SEEN", "FLAGGED", "ANSWERED", "DELETED", "DRAFT"):
        if name in (flag, f"UN{flag}"):
            return [it for it in found if (f"\\{flag.title()}" in it.flags) == (name == flag)]
    wanted = set(asked_for(talk, Command("", "SEARCH", []), name))
    return [it for it in found if it.uid in wanted]


def _has_header(raw: bytes, field: str, value: str) -> bool:
    head = raw.partition(b"\r\n\r\n")[0]
    fields = re.split(rb"\r\n(?![ \t])", head)
    start = f"{field.lower()}:".encode()
    return any(
        it.lower().startswith(start) and value.lower().encode() in it.lower() for it in fields
    )


# -- changing --------------------------------------------------------------------------------------
def store(talk: "ImapTalk", command: Command) -> None:
    words = [word for word in command.words if word]
    uids = asked_for(talk, command, text_of(words[0]))
    how = next(text_of(word).upper() for word in words[1:] if "FLAGS" in text_of(word).upper())
    flags = set(words[-1] if isinstance(words[-1], list) else [words[-1]])
    for uid in uids:
        with talk.peer.lock:
            message = talk.selected.messages.get(uid)
            if message is None or talk.read_only:
                continue
            change = {"+": message.flags | flags, "-": message.flags - flags}.get(how[0], flags)
            talk.selected.flag(uid, change)
            talk.told = max(talk.told, message.modseq)
        if "SILENT" not in how or "CONDSTORE" in talk.peer.capabilities:
            talk.untagged(flags_line(talk, message))
    talk.ok(command)


def copy(talk: "ImapTalk", command: Command) -> None:
    told = _copied(talk, command, asked_for(talk, command, text_of(command.words[0])))
    if told is not None:
        talk.ok(command, f"{told}done")


def move(talk: "ImapTalk", command: Command) -> None:
    """Copy, tell COPYUID, and expunge (RFC 6851 3.3)."""
    if "MOVE" not in talk.peer.capabilities:
        talk.finish(command, "BAD", "unknown command")
        return
    uids = asked_for(talk, command, text_of(command.words[0]))
    told = _copied(talk, command, uids)
    if told is None:
        return
    if told:
        talk.untagged(f"OK {told}moved")
    with talk.peer.lock:
        talk.selected.expunge(uids)
    talk.tell_news()
    talk.finish(command, "OK")


def _copied(talk: "ImapTalk", command: Command, uids: Iterable[int]) -> str | None:
    target = talk.peer.mailboxes.get(text_of(command.words[1]))
    if target is None:
        talk.finish(command, "NO", "[TRYCREATE] there is no such mailbox")
        return None
    with talk.peer.lock:
        pairs = [
            (uid, target.add(message.raw, message.flags, message.at))
            for uid in uids
            if (message := talk.selected.messages.get(uid))
        ]
    if not pairs or "UIDPLUS" not in talk.peer.capabilities:
        return ""
    old, new = ",".join(str(it[0]) for it in pairs), ",".join(str(it[1]) for it in pairs)
    return f"[COPYUID {target.uidvalidity} {old} {new}] "


def expunge(talk: "ImapTalk", command: Command) -> None:
    """Remove what is marked; by UID only of those named (RFC 4315 2.1)."""
    named = talk.view
    if command.name.startswith("UID "):
        named = asked_for(talk, command, text_of(command.words[0]))
    with talk.peer.lock:
        marked = [it.uid for it in talk.selected.messages.values() if "\\Deleted" in it.flags]
        talk.selected.expunge(set(marked) & set(named))
    talk.ok(command)


def close(talk: "ImapTalk", command: Command) -> None:
    if command.name == "CLOSE" and not talk.read_only:
        with talk.peer.lock:
            marked = [it.uid for it in talk.selected.messages.values() if "\\Deleted" in it.flags]
            talk.selected.expunge(marked)
    talk.selected, talk.view = None, []
    talk.finish(command, "OK")


def idle(talk: "ImapTalk", command: Command) -> None:
    """Tell news until DONE (RFC 2177)."""
    talk.send(b"+ idling\r\n")
    end = time.monotonic() + 1800
    while not talk.something_comes(0.05):
        if time.monotonic() > end:
            return
        if talk.selected.modseq != talk.told:
            talk.answer("idle", b"")
            talk.tell_news()
    talk.read_line()
    talk.ok(command)


def check(talk: "ImapTalk", command: Command) -> None:
    talk.ok(command)


COMMANDS: dict[str, Act] = {
    "FETCH": fetch, "SEARCH": search, "STORE": store, "COPY": copy, "MOVE": move,
    "EXPUNGE": expunge, "CLOSE": close, "UNSELECT": close, "IDLE": idle, "CHECK": check,
}  # fmt: skip
