"""Sets of UIDs as they are written in commands and responses (RFC 9051 9, `sequence-set`)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from inbox.providers.imap.responses import GarbledAnswerError

LARGEST_UID = 2**32 - 1
# UIDs in one command: at worst some 5,500 bytes, under the 8,000 that RFC 2683 3.2.1.5 allows.
BATCH = 500
MOST_UIDS = 2_000_000
_SET = re.compile(rb"\d{1,10}(?::\d{1,10})?(?:,\d{1,10}(?::\d{1,10})?)*")


def write_set(uids: Iterable[int]) -> bytes:
    """Return UIDs as a set, runs as ranges: `1:3,7`."""
    runs: list[list[int]] = []
    for uid in sorted(set(uids)):
        if runs and uid == runs[-1][1] + 1:
            runs[-1][1] = uid
        else:
            runs.append([uid, uid])
    return b",".join(b"%d" % a if a == b else b"%d:%d" % (a, b) for a, b in runs)


def write_range(first: int, last: int | None) -> bytes:
    """Return a range as a set; `last` None: to the end."""
    return b"%d:*" % first if last is None else b"%d:%d" % (first, last)


def read_set(
    text: bytes, *, low: int = 1, high: int = LARGEST_UID, most: int = MOST_UIDS
) -> list[int]:
    """Return the UIDs of a set which lie from `low` to `high`, in its order.

    Raises GarbledAnswerError for what is no set, and for more than `most`: a few bytes can name
    all UIDs there may be.
    """
    if not _SET.fullmatch(text):
        raise GarbledAnswerError("the server's answer holds no set of UIDs")
    uids: list[int] = []
    for part in text.split(b","):
        start, _, end = part.partition(b":")
        a, b = sorted((int(start), int(end or start)))
        a, b = max(a, low), min(b, high)
        if len(uids) + b - a + 1 > most:
            raise GarbledAnswerError("the server lists more messages than there can be")
        uids += range(a, b + 1)
    return uids


def batches(uids: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield the UIDs in batches of which one command can name all."""
    for start in range(0, len(uids), BATCH):
        yield uids[start : start + BATCH]


def read_uid(value: object) -> int:
    """Return a UID as it was parsed; raises GarbledAnswerError where it is none."""
    if not isinstance(value, int) or not 0 < value <= LARGEST_UID:
        raise GarbledAnswerError("the server's answer holds no UID where one belongs")
    return value
