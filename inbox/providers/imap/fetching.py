"""Reading from the open mailbox; nothing here marks a message as read (BODY.PEEK)."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from imapclient.datetime_util import parse_to_datetime

from inbox.providers.imap.keywords import keywords_of
from inbox.providers.imap.names import quoted
from inbox.providers.imap.responses import GarbledAnswerError, Response
from inbox.providers.imap.session import Session, as_pairs, parse
from inbox.providers.imap.uid_sets import (
    LARGEST_UID,
    batches,
    read_set,
    read_uid,
    write_range,
    write_set,
)
from inbox.providers.mail_store import LARGEST_MESSAGE, Fetched
from inbox.reasons import phrase as _

# A batch ends at so many bytes even where it has few messages.
BATCH_BYTES = 16 * 1024 * 1024
_SLACK = 16 * 1024 * 1024
_MOST_CANDIDATES = 100
# The usual forms, in any order; what they do not fit is read by imapclient's parser.
_FLAGS = re.compile(rb"\((?:UID (\d{1,10})|FLAGS \(([^()\"{]*)\)|MODSEQ \(\d{1,20}\)| )+\)")
_MESSAGE = re.compile(
    rb"\((?:UID (\d{1,10})|FLAGS \(([^()\"{]*)\)|INTERNALDATE \"([^\"]{1,40})\""
    rb"|MODSEQ \(\d{1,20}\)|BODY\[\] \{\d{1,10}\}| )+\)"
)
_USUAL_TIME = re.compile(
    rb"([ \d]\d)-(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)-([1-9]\d{3})"
    rb" ([01]\d|2[0-3]):([0-5]\d):([0-5]\d) ([+-])(\d\d)([0-5]\d)"
)
_MONTHS = (b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov",
           b"Dec")  # fmt: skip
_SIZE = re.compile(rb"\((?:UID (\d{1,10})|RFC822\.SIZE (\d{1,12})| )+\)")
_ALL = re.compile(rb"(?i)\bALL ([\d:,]+)")


# -- which there are -------------------------------------------------------------------------------
def list_uids(session: Session, first: int, last: int | None) -> list[int]:
    """Return the UIDs there are in a range, ascending."""
    found: list[int] = []
    high = LARGEST_UID if last is None else last

    def read(response: Response) -> None:
        # `5:*` names the last message even where its UID is below 5: so bounds are kept here too.
        if response.name == "ESEARCH":
            if listed := _ALL.search(response.rest):
                found.extend(read_set(listed[1], low=first, high=high))
        elif response.name == "SEARCH":
            uids = (int(word) for word in response.rest.split() if _is_uid(word))
            found.extend(uid for uid in uids if first <= uid <= high)

    if first > high:
        return []
    short = b"RETURN (ALL) " if session.offers("ESEARCH") else b""
    line = b"UID SEARCH %bUID %b" % (short, write_range(first, last))
    session.run(line, _("The server does not list the messages"), reader=read)
    return sorted(set(found))


def _is_uid(word: bytes) -> bool:
    return word.isdigit() and len(word) <= 10


def find_message_id(session: Session, message_id: str) -> list[int]:
    """Return the UIDs in the open mailbox of the messages with exactly this Message-ID."""
    wanted = message_id.strip().strip("<>").encode()
    found: list[int] = []

    def read(response: Response) -> None:
        if response.name == "SEARCH":
            found.extend(int(word) for word in response.rest.split() if _is_uid(word))

    line = b"UID SEARCH HEADER MESSAGE-ID " + quoted(wanted)
    session.run(line, _("The server's search failed"), reader=read)
    # A search finds parts of a header's value as well (RFC 9051 6.4.4).
    uids = sorted(set(found))[-_MOST_CANDIDATES:]
    return [uid for uid, header in fetch_message_ids(session, uids).items() if header == wanted]


def fetch_message_ids(session: Session, uids: Sequence[int]) -> dict[int, bytes]:
    """Return the Message-ID of each message without its brackets; b"" where it has none."""
    found: dict[int, bytes] = {}

    def read(response: Response) -> None:
        if response.name == "FETCH" and len(response.parts) > 1:
            items = as_pairs(parse(response.parts)[0])
            text = next((item for name, item in items.items() if name.startswith(b"BODY[")), b"")
            if isinstance(text, bytes):
                value = text.partition(b":")[2]
                found[read_uid(items.get(b"UID"))] = b"".join(value.split()).strip(b"<>")

    for batch in batches(uids):
        line = b"UID FETCH %b (UID BODY.PEEK[HEADER.FIELDS (MESSAGE-ID)])" % write_set(batch)
        session.run(line, _("The server does not provide the messages"), reader=read)
    return found


# -- what is known of them -------------------------------------------------------------------------
def fetch_keywords(
    session: Session, first: int, last: int | None, changed_since: int | None
) -> dict[int, frozenset[str]]:
    """Return the keywords by UID, of all in a range or of those changed since a mod-sequence."""
    found: dict[int, frozenset[str]] = {}
    high = LARGEST_UID if last is None else last

    def read(response: Response) -> None:
        if response.name == "FETCH":
            found.update(read_flags(response))

    if first > high:
        return {}
    since = "" if changed_since is None else f" (CHANGEDSINCE {max(changed_since, 1)})"
    line = b"UID FETCH %b (UID FLAGS)%b" % (write_range(first, last), since.encode())
    session.run(line, _("The server does not provide the message flags"), reader=read)
    return {uid: keywords for uid, keywords in found.items() if first <= uid <= high}


def read_flags(response: Response) -> dict[int, frozenset[str]]:
    """Return the keywords of one FETCH response; nothing where it does not tell both."""
    part = response.parts[0]
    if isinstance(part, bytes) and (usual := _FLAGS.fullmatch(part)) and usual[1]:
        return {} if usual[2] is None else {read_uid(int(usual[1])): keywords_of(usual[2])}
    items = as_pairs(parse(response.parts)[0])
    if b"UID" not in items or b"FLAGS" not in items:
        return {}
    return {read_uid(items[b"UID"]): _keywords(items[b"FLAGS"])}


def _keywords(flags: object) -> frozenset[str]:
    if not isinstance(flags, tuple):
        raise GarbledAnswerError("the server's answer holds no flags where they belong")
    return keywords_of(b" ".join(str(f).encode() if isinstance(f, int) else f for f in flags if f))


def fetch_sizes(session: Session, uids: Sequence[int]) -> dict[int, int]:
    """Return the sizes by UID, in bytes."""
    found: dict[int, int] = {}

    def read(response: Response) -> None:
        if response.name != "FETCH":
            return
        part = response.parts[0]
        usual = _SIZE.fullmatch(part) if isinstance(part, bytes) else None
        if usual and usual[1] and usual[2]:
            found[int(usual[1])] = int(usual[2])
            return
        items = as_pairs(parse(response.parts)[0])
        size = items.get(b"RFC822.SIZE")
        if b"UID" in items and isinstance(size, int):
            found[read_uid(items[b"UID"])] = size

    for batch in batches(uids):
        line = b"UID FETCH %b (UID RFC822.SIZE)" % write_set(batch)
        session.run(line, _("The server does not provide the message sizes"), reader=read)
    asked = set(uids)
    return {uid: size for uid, size in found.items() if uid in asked}


# -- the messages themselves -----------------------------------------------------------------------
def fetch_messages(session: Session, uids: Sequence[int]) -> Iterator[Fetched]:
    """Yield the messages in the order asked for; a batch of them is in memory at a time."""
    for batch in batches(uids):
        sizes = fetch_sizes(session, batch)
        for part in _by_bytes(batch, sizes):
            budget = 2 * sum(sizes[uid] for uid in part) + _SLACK
            found = _fetch_batch(session, part, budget)
            yield from (found[uid] for uid in part if uid in found)


def _by_bytes(uids: Sequence[int], sizes: dict[int, int]) -> Iterator[list[int]]:
    """Yield batches of at most `BATCH_BYTES`, or of one message; none that is too large."""
    batch: list[int] = []
    left = BATCH_BYTES
    for uid in uids:
        size = sizes.get(uid)
        if size is None or size > LARGEST_MESSAGE:
            continue
        if batch and size > left:
            yield batch
            batch, left = [], BATCH_BYTES
        batch.append(uid)
        left -= size
    if batch:
        yield batch


def _fetch_batch(session: Session, uids: Sequence[int], budget: int) -> dict[int, Fetched]:
    found: dict[int, Fetched] = {}
    wanted = set(uids)

    def read(response: Response) -> None:
        if response.name == "FETCH":
            fetched = _read_message(response)
            if fetched is not None and fetched.uid in wanted:
                found[fetched.uid] = fetched

    line = b"UID FETCH %b (UID FLAGS INTERNALDATE BODY.PEEK[])" % write_set(uids)
    session.run(line, _("The server does not provide the messages"), reader=read, budget=budget)
    return found


def _read_message(response: Response) -> Fetched | None:
    """Return the message of a response; None where it is news of flags that came in between."""
    if (usual := _read_usual(response)) is not None:
        return usual
    items = as_pairs(parse(response.parts)[0])
    if b"BODY[]" not in items or b"UID" not in items:
        return None
    raw = items[b"BODY[]"]
    return Fetched(
        uid=read_uid(items[b"UID"]),
        raw=raw if isinstance(raw, bytes) else b"",
        keywords=_keywords(items.get(b"FLAGS", ())),
        received_at=read_time(items.get(b"INTERNALDATE")),
    )


def _read_usual(response: Response) -> Fetched | None:
    """Return the message of a response in the usual form, which is all but every one."""
    if len(response.parts) != 2:
        return None
    literal, tail = response.parts
    if not isinstance(literal, tuple) or not isinstance(tail, bytes):
        return None
    head, raw = literal
    found = _MESSAGE.fullmatch(head + tail)
    if found is None or found[1] is None or found[2] is None:
        return None
    return Fetched(read_uid(int(found[1])), raw, keywords_of(found[2]), read_time(found[3]))


def read_time(value: object) -> datetime | None:
    """Return INTERNALDATE as an aware time in UTC; None where it is none."""
    if not isinstance(value, bytes):
        return None
    if (usual := _USUAL_TIME.fullmatch(value)) is not None:
        return _usual_time(*usual.groups())
    try:
        moment: datetime = parse_to_datetime(value, normalise=False)
        return moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, AttributeError):
        return None


def _usual_time(day: bytes, month: bytes, year: bytes, *clock: bytes) -> datetime | None:
    """Return INTERNALDATE as every server writes it (RFC 9051 9, date-time)."""
    hour, minute, second, sign, ahead, more = clock
    offset = timedelta(hours=int(ahead), minutes=int(more))
    try:
        local = datetime(
            int(year), _MONTHS.index(month) + 1, int(day), int(hour), int(minute), int(second),
            tzinfo=UTC,
        )  # fmt: skip
        return local - offset if sign == b"+" else local + offset
    except (ValueError, OverflowError):
        return None
