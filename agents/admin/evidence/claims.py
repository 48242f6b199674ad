"""The claims of a message as its page shows them: what differs first, each beside its source."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from agents.admin.evidence.highlights import Flagged, Highlight, Span
from inbox.extract.readers.whole import cuts

KINDS: dict[str, Promise] = {
    "amount": pgettext_lazy("claim", "Amount"),
    "percentage": pgettext_lazy("claim", "Percentage"),
    "date": pgettext_lazy("claim", "Date"),
    "weekday": pgettext_lazy("claim", "Weekday"),
    "time": pgettext_lazy("claim", "Time"),
    "quantity": pgettext_lazy("claim", "Quantity"),
    "code": pgettext_lazy("claim", "Number"),
    "bank_account": pgettext_lazy("claim", "Bank account"),
    "email": pgettext_lazy("claim", "Email address"),
    "phone": pgettext_lazy("claim", "Phone number"),
    "link": pgettext_lazy("claim", "Web address"),
    "greeting": pgettext_lazy("claim", "Greeting"),
    "name": pgettext_lazy("claim", "Name"),
    "attachment": pgettext_lazy("claim", "Attachment"),
    "language": pgettext_lazy("claim", "Language"),
    "promise": pgettext_lazy("claim", "Promise"),
    "statement": pgettext_lazy("claim", "Statement"),
    "admission": pgettext_lazy("claim", "Admission"),
    "confidential": pgettext_lazy("claim", "Confidential"),
}
SOURCES: dict[str, Promise] = {
    "message": _("a message"),
    "file": _("a file"),
    "attachment": _("what is attached"),
    "event": _("the calendar"),
    "contact": _("a contact"),
    "goal": _("the agent's goal"),
    "policy": _("the policy"),
    "proposal": _("the message itself"),
    "recipient": _("its recipients"),
    "calendar": _("the calendar"),
}
# The state of a claim of which a source says something else.
DIFFERS = "differs"
# So many characters of the message are told before and after words that are doubted.
_BEFORE, _AFTER = 60, 40
_PAGES = {"message": "message", "file": "file", "event": "event", "contact": "person"}


@dataclass(frozen=True, slots=True)
class SourceSeen:
    """What a claim rests on: in words, its own words, and where to see it."""

    words: str | Promise
    excerpt: str
    url: str


@dataclass(frozen=True, slots=True)
class ClaimSeen:
    """A claim; `mark` points at its words in the message, where `is_in_message`."""

    mark: Highlight
    kind: str | Promise
    excerpt: str
    state: str
    expected: str
    sources: tuple[SourceSeen, ...]
    is_in_message: bool
    # What stands before and after its words in their line of the message.
    before: str = ""
    after: str = ""
    is_by_model: bool = False


@dataclass(frozen=True, slots=True)
class ClaimsSeen:
    """The claims of a message: those that no source has, what differs first, and the others."""

    wrong: tuple[ClaimSeen, ...] = ()
    found: tuple[ClaimSeen, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim as it was kept, and the mark that points at it: `claim` where it is not found."""

    mark: Highlight
    row: Mapping[str, Any]

    def text(self, name: str) -> str:
        """Return a field that is a text."""
        return str(self.row.get(name) or "")

    @property
    def sources(self) -> list[Mapping[str, Any]]:
        """What it rests on."""
        return [one for one in self.row.get("sources", ()) if isinstance(one, Mapping)]


def number_claims(stored: Sequence[Any]) -> list[Claim]:
    """Return the claims that an approval keeps, with their marks."""
    rows = [row for row in stored if isinstance(row, Mapping)]
    counted = {"claim": count(1), "sourced": count(1)}
    kinds: list[Literal["claim", "sourced"]] = [
        "sourced" if row.get("state") == "found" else "claim" for row in rows
    ]
    return [
        Claim(Highlight(kind, next(counted[kind])), row)
        for kind, row in zip(kinds, rows, strict=True)
    ]


def see_claims(claims: Iterable[Claim], marked: frozenset[Highlight], text: str = "") -> ClaimsSeen:
    """Return claims as a page lists them; `marked` are the marks that the message has.

    Of its text, `text`, the words around each that is doubted are told with it.
    """
    seen = [_see(one, text, is_in_message=one.mark in marked) for one in claims]
    differing = (one for one in seen if one.state == DIFFERS)
    nowhere = (one for one in seen if one.state == "nowhere")
    return ClaimsSeen((*differing, *nowhere), tuple(one for one in seen if one.state == "found"))


def _see(claim: Claim, text: str, *, is_in_message: bool) -> ClaimSeen:
    kind = claim.text("kind")
    is_doubted = is_in_message and claim.mark.kind == "claim"
    spans = claim_spans("body", text, [claim]) if is_doubted else []
    before, after = _around(text, spans[0]) if spans else ("", "")
    return ClaimSeen(
        mark=claim.mark, kind=KINDS.get(kind, kind), excerpt=claim.text("excerpt"),
        state=claim.text("state"), expected=claim.text("expected"),
        sources=tuple(_source(one) for one in claim.sources), is_in_message=is_in_message,
        before=before, after=after, is_by_model=claim.text("by") == "model",
    )  # fmt: skip


def _around(text: str, span: Span) -> tuple[str, str]:
    """Return a few words before and after a stretch, of its own line of the text."""
    line = text.rfind("\n", 0, span.start) + 1
    ends = text.find("\n", span.end)
    before = text[line : span.start]
    after = text[span.end : ends if ends >= 0 else len(text)].rstrip()
    if len(before) > _BEFORE:
        before = "…" + before[-_BEFORE:].partition(" ")[2]
    if len(after) > _AFTER:
        after = after[:_AFTER].rpartition(" ")[0] + "…"
    return before, after


def _source(row: Mapping[str, Any]) -> SourceSeen:
    kind, public_id = str(row.get("type", "")), str(row.get("id", ""))
    page = _PAGES.get(kind) if public_id else None
    url = reverse(page, args=[public_id]) if page else ""
    return SourceSeen(SOURCES.get(kind, kind), str(row.get("excerpt", "")), url)


def claim_spans(part: str, text: str, claims: Iterable[Claim]) -> list[Span]:
    """Return where the claims of a part stand in its text as it is shown.

    The place that was kept counts where the words are there, else the nearest that has them.
    """
    found = []
    for one in claims:
        words, start = one.text("excerpt"), -1
        if words and one.row.get("part") == part:
            start = _place(text, words, int(one.row.get("start") or 0))
        if start >= 0:
            found.append(Span(start, start + len(words), one.mark))
    return found


def _place(text: str, words: str, kept: int) -> int:
    if text.startswith(words, kept):
        return kept
    behind, before = text.find(words, kept), text.rfind(words, 0, kept + len(words))
    places = [place for place in (behind, before) if place >= 0]
    whole = [place for place in places if not cuts(text, place, place + len(words))]
    return min(whole or places, key=lambda place: abs(place - kept), default=-1)


def source_words(claims: Iterable[Claim], kind: str = "message") -> list[Flagged]:
    """Return the words of sources of a kind that claims rest on or differ from, marked."""
    return [
        Flagged(one.mark, _words_in(source, one), str(source.get("id", "")))
        for one in claims for source in one.sources[:1] if source.get("type") == kind
    ]  # fmt: skip


def _words_in(source: Mapping[str, Any], claim: Claim) -> str:
    excerpt = str(source.get("excerpt", ""))
    wanted = claim.text("expected") or claim.text("excerpt")
    return wanted if wanted in excerpt else excerpt
