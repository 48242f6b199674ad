"""The mailboxes of an account: which there are, their roles, and their states."""

from dataclasses import replace

from inbox.providers.imap.names import (
    ALL_MAIL,
    VIRTUAL,
    quoted,
    read_name,
    role_by_name,
    role_by_use,
    write_name,
)
from inbox.providers.imap.responses import GarbledAnswerError, Response
from inbox.providers.imap.session import Session, as_pairs, parse
from inbox.providers.mail_store import Folder, FolderState, StoreError
from inbox.reasons import phrase as _

MOST_FOLDERS = 10_000
LARGEST_NUMBER = 2**63 - 1
_HIDDEN = frozenset({b"\\noselect", b"\\nonexistent"})


def list_folders(session: Session) -> list[Folder]:
    """Return the mailboxes, INBOX first; with their states where LIST-STATUS gives them."""
    found: dict[str, Folder] = {}
    states: dict[str, FolderState] = {}

    def read(response: Response) -> None:
        if response.name == "LIST":
            _add_folder(session, response, found)
        elif response.name == "STATUS":
            name, state = _read_status(response)
            if state is not None:
                states[name] = state

    session.run(_list_command(session), _("The server does not list its mailboxes"), reader=read)
    folders = [
        replace(folder, state=states.get(name) if folder.selectable else None)
        for name, folder in found.items()
    ]
    return sorted(_with_roles(folders), key=lambda folder: (folder.name != "INBOX", folder.name))


def _list_command(session: Session) -> bytes:
    features = session.features
    if "list-status" in features:
        use = b"SPECIAL-USE " if "special-use" in features else b""
        return b'LIST "" "*" RETURN (%bSTATUS %b)' % (use, _items(session))
    if "special-use" in features and session.offers("LIST-EXTENDED"):
        return b'LIST "" "*" RETURN (SPECIAL-USE)'
    return b'LIST "" "*"'


def _items(session: Session) -> bytes:
    more = b" HIGHESTMODSEQ" if "condstore" in session.features else b""
    return b"(UIDVALIDITY UIDNEXT MESSAGES%b)" % more


def _add_folder(session: Session, response: Response, found: dict[str, Folder]) -> None:
    """Note a mailbox; one whose name cannot be read, or written again, is left out."""
    attributes, delimiter, raw = _list_items(response)
    try:
        name = read_name(raw)
    except GarbledAnswerError:
        return
    wire = raw if isinstance(raw, bytes) else name.encode()
    if any(byte < 32 or byte > 126 for byte in wire):
        return
    if name != "INBOX" and write_name(name) != wire:
        session.written[name] = wire
    if len(found) >= MOST_FOLDERS:
        raise StoreError(
            "permanent",
            _("The account has more than %(most)s mailboxes, the maximum.", most=MOST_FOLDERS),
        )
    lowered = {attribute.lower() for attribute in attributes}
    role = "inbox" if name == "INBOX" else role_by_use(sorted(lowered))
    selectable = not lowered & (_HIDDEN | VIRTUAL)
    found[name] = Folder(name, delimiter, role if selectable else "", selectable)


def _list_items(response: Response) -> tuple[list[bytes], str, object]:
    """Return the attributes, the delimiter and the name (RFC 9051 7.3.1)."""
    items = parse(response.parts)
    if len(items) < 3 or not isinstance(items[0], tuple):
        raise GarbledAnswerError("the server's list of mailboxes cannot be read")
    attributes = [item for item in items[0] if isinstance(item, bytes)]
    delimiter = items[1].decode("ascii", "replace") if isinstance(items[1], bytes) else ""
    return attributes, delimiter[:1], items[2]


def _with_roles(folders: list[Folder]) -> list[Folder]:
    """Give each role to one mailbox: by what the server says, else by the usual names."""
    taken: set[str] = set()
    given: list[Folder] = []
    for folder in folders:
        role = folder.role if folder.role not in taken else ""
        taken.add(role)
        given.append(replace(folder, role=role))
    for index, folder in enumerate(given):
        role = role_by_name(folder.name, folder.delimiter) if folder.selectable else ""
        if role and not folder.role and role not in taken:
            taken.add(role)
            given[index] = replace(folder, role=role)
    # Of all mail, what lies in no other mailbox was archived.
    rest = "" if "archive" in taken else "archive"
    return [replace(it, role=rest) if it.role == ALL_MAIL else it for it in given]


def _read_status(response: Response) -> tuple[str, FolderState | None]:
    items = parse(response.parts)
    if len(items) != 2:
        raise GarbledAnswerError("the state of a mailbox cannot be read")
    try:
        name = read_name(items[0])
    except GarbledAnswerError:
        return "", None
    values = as_pairs(items[1])
    needed = [values.get(item) for item in (b"UIDVALIDITY", b"UIDNEXT", b"MESSAGES")]
    if any(value is None for value in needed):
        return name, None
    validity, following, messages = (read_number(value) for value in needed)
    # NIL: of a mailbox that keeps none.
    modseq = read_number(values.get(b"HIGHESTMODSEQ") or 0)
    return name, FolderState(validity, following, messages, modseq or None)


def read_number(value: object) -> int:
    """Return a number that can be stored; raises GarbledAnswerError for any other."""
    if isinstance(value, bytes) and value.isdigit() and len(value) < 20:
        value = int(value)
    if not isinstance(value, int) or not 0 <= value <= LARGEST_NUMBER:
        raise GarbledAnswerError("the server's answer holds no number where one belongs")
    return value


def wire_name(session: Session, name: str) -> bytes:
    """Return a mailbox's name as a quoted string."""
    return quoted(session.written.get(name) or write_name(name))


async def ask_state(session: Session, name: str) -> FolderState:
    """Return the state of one mailbox (STATUS, RFC 9051 6.3.11)."""
    states: list[FolderState] = []

    def read(response: Response) -> None:
        if response.name == "STATUS":
            _, state = _read_status(response)
            states.extend([state] if state else [])

    line = b"STATUS %b %b" % (wire_name(session, name), _items(session))
    await session.ask(
        line, _("The server does not report the state of %(name)s", name=name), reader=read
    )
    if not states:
        raise StoreError(
            "permanent", _("The server does not report the state of %(name)s.", name=name)
        )
    return states[-1]


def create_folder(session: Session, name: str) -> None:
    """Make a mailbox and subscribe to it; one that is there already is no error."""
    wire = wire_name(session, name)
    try:
        session.run(b"CREATE " + wire, _("The server did not create %(name)s", name=name))
    except StoreError as error:
        if error.kind != "permanent" or "EXISTS" not in error.reply.upper():
            raise
    session.run(b"SUBSCRIBE " + wire, _("The server did not subscribe to %(name)s", name=name))
