"""The outgoing message, read from its sealed bytes and from nothing that an agent says of them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from agents.admin.evidence.claims import Claim, claim_spans
from agents.admin.evidence.highlights import (
    Flagged,
    Highlight,
    HighlightedText,
    Span,
    cut,
    flag_spans,
)
from agents.admin.evidence.kept_files import KeptFile
from agents.admin.evidence.passages import Passage
from agents.admin.evidence.recipients import Known, Recipient, read_recipients
from agents.admin.evidence.sources import Sources
from agents.admin.evidence.versions import MessageVersion
from agents.admin.review.enclosures import Enclosure, read_enclosures
from inbox.actor import Actor
from inbox.admin.messages.anomalies import QUIET, describe_anomaly
from inbox.models import Submission
from inbox.rfc5322.addresses.parsing import Address
from inbox.rfc5322.parse import ParsedMessage

# As many recipients of a field are shown in a row; of more, the first few.
_MOST_OPEN, _SHOWN, _PLAIN = 8, 5, 3


@dataclass(frozen=True, slots=True)
class RecipientField:
    """Those named in one field; of many the doubtful ones stand first, and the rest is folded."""

    name: str
    shown: tuple[Recipient, ...]
    folded: tuple[Recipient, ...]

    @property
    def flagged(self) -> int:
        """How many of those that are folded are flagged, or odd by themselves."""
        return sum(_doubt(one) < _PLAIN for one in self.folded)


@dataclass(frozen=True, slots=True)
class SealedMessage:
    """What would leave, as its recipients will read it."""

    sender: Address
    envelope_from: str
    recipients: tuple[Recipient, ...]
    subject: str
    subject_marked: tuple[HighlightedText, ...]
    text: str
    body: tuple[HighlightedText, ...]
    enclosures: tuple[Enclosure, ...]
    oddities: tuple[str, ...]
    # The flags and claims whose words stand in it.
    marked: frozenset[Highlight]

    @property
    def fields(self) -> tuple[RecipientField, ...]:
        """The recipients as they are shown, by field."""
        names = dict.fromkeys(one.field for one in self.recipients)
        return tuple(
            _fold(name, [one for one in self.recipients if one.field == name]) for name in names
        )


def _fold(name: str, recipients: Sequence[Recipient]) -> RecipientField:
    if len(recipients) <= _MOST_OPEN:
        return RecipientField(name, tuple(recipients), ())
    doubtful_first = sorted(recipients, key=_doubt)
    return RecipientField(name, tuple(doubtful_first[:_SHOWN]), tuple(doubtful_first[_SHOWN:]))


def _doubt(one: Recipient) -> int:
    """Return a rank of how closely an address should be looked at, 0 for the closest."""
    signs = (one.imitates, one.name_deceives or not one.is_reached, one.flags or one.is_new)
    return next((rank for rank, sign in enumerate(signs) if sign), _PLAIN)


def read_sealed_message(
    actor: Actor,
    submission: Submission,
    parsed: ParsedMessage,
    *,
    flags: Sequence[Flagged],
    passages: Sequence[Passage],
    sources: Sources,
    editions: Sequence[MessageVersion],
    known: Known | None = None,
    kept: Mapping[str, KeptFile] = MappingProxyType({}),
    claims: Sequence[Claim] = (),
    uninspectable: Mapping[str, str] = MappingProxyType({}),
    doubted: Sequence[Flagged] | None = None,
) -> SealedMessage:
    """Lay out the sealed bytes and their envelope, marked; in three queries.

    `flags` are the words that raised some; `known`, if given, saves the queries. By hash: `kept`,
    our files of the same bytes; by name or type: why parts are `uninspectable`. The files are
    opened where the words to mark in them are given, `doubted`.
    """
    recipients = read_recipients(
        actor, submission, parsed, messages=sources.messages, editions=editions,
        flagged=_by_address(flags),
        shown=frozenset(one.message.public_id for one in sources.readings), known=known,
    )  # fmt: skip
    used = {mark for one in recipients for mark in one.flags}
    in_subject = claim_spans("subject", parsed.subject, claims)
    in_body = [*_taken(passages), *claim_spans("body", parsed.text, claims)]
    return SealedMessage(
        sender=parsed.sender, envelope_from=submission.envelope_from, recipients=recipients,
        subject=parsed.subject, text=parsed.text,
        subject_marked=_marked(parsed.subject, used, flags, in_subject),
        body=_marked(parsed.text, used, flags, in_body),
        enclosures=read_enclosures(parsed, kept, uninspectable, doubted),
        oddities=tuple(describe_anomaly(code) for code in parsed.anomalies if code not in QUIET),
        marked=frozenset(mark for mark in used if mark.kind != "passage"),
    )  # fmt: skip


def _marked(
    text: str,
    used: set[Highlight],
    flags: Sequence[Flagged],
    spans: Iterable[Span],
) -> tuple[HighlightedText, ...]:
    return cut(text, [*spans, *flag_spans(text, flags)], used)


def _taken(passages: Sequence[Passage]) -> list[Span]:
    return [
        Span(*passage.in_message, Highlight("passage", number))
        for number, passage in enumerate(passages, start=1)
    ]


def _by_address(flags: Sequence[Flagged]) -> dict[str, tuple[Highlight, ...]]:
    found: dict[str, tuple[Highlight, ...]] = {}
    for one in flags:
        email = one.excerpt.strip().lower()
        if "@" in email and " " not in email:
            found[email] = (*found.get(email, ()), one.mark)
    return found
