"""Opening a mailbox, and what the server says of the time since it was last open (RFC 7162)."""

from dataclasses import dataclass, field

from inbox.providers.imap.fetching import read_flags
from inbox.providers.imap.listing import ask_state, read_number, wire_name
from inbox.providers.imap.responses import Answer, GarbledAnswerError, Response
from inbox.providers.imap.session import Session
from inbox.providers.imap.uid_sets import read_set
from inbox.providers.mail_store import FolderState, Opened, StoreError
from inbox.reasons import phrase as _

_EARLIER = b"(EARLIER) "


@dataclass(slots=True)
class _Selected:
    """What came while a mailbox was being opened."""

    codes: dict[str, bytes] = field(default_factory=dict)
    messages: int = 0
    changed: dict[int, frozenset[str]] = field(default_factory=dict)
    vanished: list[bytes] = field(default_factory=list)

    def read(self, response: Response) -> None:
        status = response.status
        if status is not None:
            self.codes[status.code] = status.argument
        elif response.name == "EXISTS":
            self.messages = response.number
        elif response.name == "FETCH":
            self.changed.update(read_flags(response))
        elif response.name == "VANISHED" and response.rest.upper().startswith(_EARLIER):
            self.vanished.append(response.rest[len(_EARLIER) :])

    def number(self, code: str) -> int:
        return read_number(self.codes[code]) if code in self.codes else 0


async def open_mailbox(
    session: Session, name: str, known: FolderState | None, *, read_only: bool
) -> Opened:
    """Select a mailbox, or EXAMINE it; learn the changes since `known` where there is QRESYNC."""
    await _enable(session)
    wire, resync = wire_name(session, name), _resync(session, known)
    verb = b"EXAMINE " if read_only else b"SELECT "
    parameters = resync or (b" (CONDSTORE)" if "condstore" in session.features else b"")
    session.opened = b""
    answer, selected = await _select(session, verb + wire + parameters, name)
    session.opened, session.read_only = wire, read_only
    selected.codes[answer.code] = answer.argument
    state = await _state(session, name, selected)
    opened = Opened(
        state,
        writable=not read_only and "READ-ONLY" not in selected.codes,
        keeps_keywords=b"\\*" in selected.codes.get("PERMANENTFLAGS", b""),
    )
    return _with_changes(opened, selected, known) if resync else opened


async def _select(session: Session, line: bytes, name: str) -> tuple[Answer, _Selected]:
    """Select it; where that is refused, once more after we said who we are.

    Some servers open none for clients that do not say it (ID, RFC 2971); the others are not told
    each time, for every look would pay for it.
    """
    words = _("The server does not open %(name)s", name=name)
    selected = _Selected()
    try:
        return await session.ask(line, words, reader=selected.read), selected
    except StoreError as error:
        is_clear = error.kind in ("transient", "throttled", "gone")
        if is_clear or session.introduced or not await _introduce(session):
            raise
    selected = _Selected()
    return await session.ask(line, words, reader=selected.read), selected


async def _introduce(session: Session) -> bool:
    """Say who we are; False where the server does not hear it, and goes on as before."""
    session.introduced = True
    if "id" not in session.features:
        return False
    try:
        await session.ask(
            b'ID ("name" "Chancery")', _("The server does not accept our identification")
        )
    except StoreError as error:
        if error.kind in ("transient", "throttled"):
            raise
        return False
    return True


async def _enable(session: Session) -> None:
    """Turn on QRESYNC before the first mailbox is opened."""
    if session.has_enabled:
        return
    session.has_enabled = True
    if "qresync" in session.features and session.offers("ENABLE"):
        names: list[bytes] = []

        def read(response: Response) -> None:
            if response.name == "ENABLED":
                names.extend(response.rest.upper().split())

        await session.ask(b"ENABLE QRESYNC", _("The server does not enable QRESYNC"), reader=read)
        session.enabled = frozenset(name.decode("ascii", "replace") for name in names)


def _resync(session: Session, known: FolderState | None) -> bytes:
    if known is None or not known.highest_modseq or "QRESYNC" not in session.enabled:
        return b""
    if not known.uidvalidity or known.uidnext < 2:
        return b""
    numbers = (known.uidvalidity, known.highest_modseq, known.uidnext - 1)
    return b" (QRESYNC (%d %d 1:%d))" % numbers


async def _state(session: Session, name: str, selected: _Selected) -> FolderState:
    validity, following = selected.number("UIDVALIDITY"), selected.number("UIDNEXT")
    if not validity:
        raise StoreError("permanent", _("The server gives %(name)s no UIDVALIDITY.", name=name))
    if not following:
        following = (await ask_state(session, name)).uidnext
    modseq = selected.number("HIGHESTMODSEQ") or None
    return FolderState(validity, following, selected.messages, modseq)


def _with_changes(opened: Opened, selected: _Selected, known: FolderState | None) -> Opened:
    state = opened.state
    if known is None or state.uidvalidity != known.uidvalidity or state.highest_modseq is None:
        return opened
    return Opened(
        state,
        opened.writable,
        opened.keeps_keywords,
        changed=selected.changed,
        vanished=_vanished(selected, known),
    )


def _vanished(selected: _Selected, known: FolderState) -> frozenset[int] | None:
    """Return what vanished; None for a set too large to be true, which is then to be asked for."""
    uids: set[int] = set()
    try:
        for text in selected.vanished:
            uids.update(read_set(text, high=known.uidnext - 1))
    except GarbledAnswerError:
        return None
    return frozenset(uids)
