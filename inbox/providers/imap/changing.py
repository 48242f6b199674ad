"""Changing messages on the server: keywords, places, and what is removed for good."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from inbox.providers.imap.keywords import flags_of
from inbox.providers.imap.listing import wire_name
from inbox.providers.imap.responses import Answer, GarbledAnswerError, Response
from inbox.providers.imap.session import Session
from inbox.providers.imap.uid_sets import batches, read_set, write_set
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def store_keywords(
    session: Session, uids: Sequence[int], add: frozenset[str], remove: frozenset[str]
) -> None:
    """Add and remove keywords, leaving the others as they are (RFC 9051 6.4.6)."""
    for batch in batches(uids):
        for sign, keywords in ((b"+", add), (b"-", remove - add)):
            if keywords:
                line = b"UID STORE %b %bFLAGS.SILENT %b"
                line %= (write_set(batch), sign, flags_of(keywords))
                session.run(line, _("The server did not change the message flags"))


def expunge(session: Session, uids: Sequence[int]) -> None:
    """Remove exactly these messages (UID EXPUNGE, RFC 4315 2.1)."""
    _need_uidplus(session)
    for batch in batches(uids):
        numbers = write_set(batch)
        words = _("The server did not remove the messages")
        session.run(b"UID STORE %b +FLAGS.SILENT (\\Deleted)" % numbers, words)
        session.run(b"UID EXPUNGE " + numbers, words)


def _need_uidplus(session: Session) -> None:
    if "uidplus" not in session.features:
        words = _("The server cannot remove single messages (UIDPLUS): nothing was removed.")
        raise StoreError("permanent", words)


def move(session: Session, uids: Sequence[int], to: str) -> dict[int, int] | None:
    """Move messages; return their new UIDs by the old ones, None where the server does not tell."""
    moved: dict[int, int] = {}
    told = True
    if "move" not in session.features:
        _need_uidplus(session)
    for batch in batches(uids):
        pairs = _move_batch(session, batch, to)
        told = told and pairs is not None
        moved.update(pairs or {})
    return moved if told else None


def _move_batch(session: Session, uids: Sequence[int], to: str) -> dict[int, int] | None:
    codes: list[Answer] = []

    def read(response: Response) -> None:
        if response.status is not None:
            codes.append(response.status)

    by_move = "move" in session.features
    line = b"UID %b %b %b"
    line %= (b"MOVE" if by_move else b"COPY", write_set(uids), wire_name(session, to))
    codes.append(
        session.run(line, _("The server did not move the messages to %(to)s", to=to), reader=read)
    )
    if not by_move:
        expunge(session, uids)
    return _copied(codes, uids)


def _copied(codes: Sequence[Answer], uids: Sequence[int]) -> dict[int, int] | None:
    """Return the pairs of COPYUID (RFC 4315 3); None where there is none or it does not fit."""
    pairs: dict[int, int] = {}
    told = [code.argument.split() for code in codes if code.code == "COPYUID"]
    try:
        for _, old, new in told:
            before = read_set(old, most=len(uids))
            after = read_set(new, most=len(uids))
            pairs.update(zip(before, after, strict=True))
    except (ValueError, GarbledAnswerError):
        return None
    return pairs if told and pairs.keys() <= set(uids) else None


def append(
    session: Session, name: str, raw: bytes, keywords: frozenset[str], received_at: datetime | None
) -> int | None:
    """Put a message into a mailbox (RFC 9051 6.3.12); return its UID where the server tells."""
    if b"\0" in raw:
        raise StoreError(
            "permanent",
            _("A message that contains a NUL character cannot be stored on the server."),
        )
    date = f' "{_date(received_at)}"' if received_at else ""
    line = b"APPEND %b %b%b {%d}"
    line %= (wire_name(session, name), flags_of(keywords), date.encode(), len(raw))
    words = _("The server did not store the message in %(name)s", name=name)
    answer = session.run(line, words, challenged=_once(raw))
    numbers = answer.argument.split() if answer.code == "APPENDUID" else []
    if len(numbers) != 2 or not numbers[1].isdigit() or len(numbers[1]) > 10:
        return None
    return int(numbers[1])


def _once(raw: bytes) -> Callable[[bytes], bytes]:
    """Return what gives the message when the server asks for it, and never again."""
    left = [raw]

    def give(_challenge: bytes) -> bytes:
        if not left:
            raise GarbledAnswerError("the server asks for the message twice")
        return left.pop()

    return give


def _date(moment: datetime) -> str:
    """Return a time as `date-time` of RFC 9051 9, in UTC."""
    at = moment.astimezone(UTC)
    return f"{at.day:02}-{_MONTHS[at.month - 1]}-{at.year:04} {at:%H:%M:%S} +0000"
