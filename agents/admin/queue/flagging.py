"""By what an item of the queue is flagged: the same for its row, the filters and its page.

A proposal is by the flags that its seal raised, by what stands at an address of it or in its header
as long as it waits, by a claim that differs from its source, and by what is odd about the mail that
it answers. What came in is by what is odd about it.
"""

from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from django.db.models import BinaryField, F, QuerySet
from django.db.models.functions import Substr

from agents.admin.evidence.claims import DIFFERS
from agents.admin.evidence.flagged import find_address_marks
from agents.admin.queue.criteria import ANY, NONE, QueueCriteria
from agents.admin.queue.flag_filters import ANSWERED, FAILED
from agents.models import Approval, ApprovalState
from inbox.actor import Actor
from inbox.admin.messages.anomalies import QUIET
from inbox.flags import read_flags
from inbox.models import Message
from inbox.rfc5322.parse import ParsedMessage, parse_message

# As much of the sealed bytes as holds the headers that a row shows.
HEADER_BYTES = 16384
# So many that wait are looked at for what stands at their addresses now.
LOOKED_AT = 2000
_END_OF_HEADER = b"\r\n\r\n"
# What the header alone of a sealed message shows.
_OF_HEADERS = frozenset(
    {
        "missing_from", "many_from", "malformed_from", "bad_address", "bidi_in_name",
        "invisible_in_name", "lookalike_domain", "sender_differs", "bad_date", "many_message_id",
        "many_subject", "many_recipients", "deceptive_name", "reply_to_differs",
    }
)  # fmt: skip


def with_marks(rows: QuerySet[Any]) -> Any:
    """Read approvals with what `mark_rows` looks at, and without the sealed bytes whole.

    Those of a message with attachments are many megabytes.
    """
    head = Substr("submission__mime", 1, HEADER_BYTES, output_field=BinaryField())
    return rows.defer("submission__mime").annotate(
        head=head, odd=F(f"{ANSWERED}anomalies"), proof=F(f"{ANSWERED}authentication")
    )


def mark_rows(actor: Actor, approvals: Collection[Any], *, sought: str = "") -> None:
    """Set on each approval its sealed headers, and the codes by which it is flagged, each once.

    What is flagged already is not looked at for what stands at its addresses now, unless a code is
    `sought`; whom an address imitates only where that is, for it takes long and is new anyway.
    """
    for row in approvals:
        row.sealed = _read_head(bytes(row.head)) if row.submission else None
    looked_at = [
        row for row in approvals
        if row.sealed and row.state == ApprovalState.WAITING and (sought or not row.risk_flags)
    ]  # fmt: skip
    # Of headers longer than what was read the last address may be cut: the envelope has them all.
    whole = [row.sealed if _END_OF_HEADER in bytes(row.head) else _unread() for row in looked_at]
    pairs = list(zip((row.submission for row in looked_at), whole, strict=True))
    at_address = find_address_marks(actor, pairs, with_imitated=sought == "lookalike_sender")
    in_header = {
        submission.pk: sorted(_OF_HEADERS.intersection(header.anomalies))
        for submission, header in pairs if header is not _unread()
    }  # fmt: skip
    for row in approvals:
        own = [flag.flag for flag in read_flags(row.risk_flags)]
        key = row.submission_id
        row.codes = tuple(
            dict.fromkeys(
                [
                    *own, *at_address.get(key, ()), *in_header.get(key, ()),
                    *([DIFFERS] if _differs(row.marks) else []),
                    *flags_of_mail(row.odd or (), row.proof or ""),
                ]
            )
        )  # fmt: skip


@cache
def _unread() -> ParsedMessage:
    """Return what stands for headers that were not read whole."""
    return parse_message(b"")


@lru_cache(maxsize=1000)
def _read_head(head: bytes) -> ParsedMessage:
    """Read the head of sealed bytes, which nothing changes any more, once."""
    return parse_message(head)


def flags_of_mail(anomalies: Iterable[Any], authentication: str) -> list[str]:
    """Return the codes by which mail that came in is flagged, the gravest first."""
    seen = [str(code) for code in anomalies if code not in QUIET]
    return [FAILED, *seen] if authentication == "fail" else seen


def flags_of_message(message: Message | None) -> tuple[str, ...]:
    """Return the codes by which a message is flagged; none where there is no message."""
    return tuple(flags_of_mail(message.anomalies, message.authentication)) if message else ()


def read_marked(actor: Actor, wanted: QueueCriteria) -> dict[int, tuple[str, ...]]:
    """Return, for a filter by flags, what stands now at the addresses of what waits, by its key.

    Of the newest 2,000. Nothing in the database keeps it: who is known changes.
    """
    if not wanted.flag or wanted.newest_first or wanted.kind == "activity":
        return {}
    rows = Approval.objects.visible_to(actor).filter(state=ApprovalState.WAITING)
    if wanted.flag in {ANY, NONE}:
        # What is flagged already need not be looked at.
        rows = rows.filter(risk_flags=[])
    sealed = with_marks(rows.exclude(submission=None).select_related("submission"))
    found = list(sealed.order_by("-pk")[:LOOKED_AT])
    mark_rows(actor, found, sought=wanted.flag)
    return {row.pk: row.codes for row in found if row.codes}


def _differs(stored: Iterable[Any]) -> bool:
    return any(isinstance(row, Mapping) and row.get("state") == DIFFERS for row in stored)
