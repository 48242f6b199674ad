"""The messages that a proposed one rests on; the words it took over, or was flagged for, marked."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from agents.admin.evidence.highlights import (
    Flagged,
    Highlight,
    HighlightedText,
    Span,
    cut,
    flag_spans,
)
from agents.admin.evidence.passages import Passage, find_passages
from inbox import ids
from inbox.actor import Actor
from inbox.admin.messages.layout import Reading, read_message, read_thread
from inbox.models import Attachment, Direction, Message, Submission, Thread
from inbox.prepared import Prepared
from inbox.rfc5322.text.flowed import rejoin

# As much of a thread stands beside the message; the thread's own page has the rest.
NEWEST_BESIDE = 12
# So many further messages of the thread are looked through for addresses, unseen.
OLDER = 38
MOST_ELSEWHERE = 8


@dataclass(frozen=True, slots=True)
class Words:
    """A text of a message as it is shown, and where its marks reach."""

    text: str
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class SourceMessage:
    """A message beside the proposed one; `head_marks` point at the message as a whole."""

    reading: Reading
    new: tuple[HighlightedText, ...]
    quoted: tuple[HighlightedText, ...]
    head_marks: tuple[Highlight, ...]
    is_elsewhere: bool
    # The addresses, in lower case, that flags are about.
    flagged: frozenset[str] = frozenset()

    @property
    def shown(self) -> Hashable:
        """All that a page shows of it, by which its part of the page is kept."""
        reading, message = self.reading, self.reading.message
        files = (
            (file.pk, file.filename, file.content_type, file.size, one.risks)
            for one in reading.attachments
            for file in (one.file,)
        )
        return (
            self.new, self.quoted, self.head_marks, self.is_elsewhere, self.flagged,
            reading.is_cited, reading.is_cut, reading.warnings, *reading.addressees, *files,
            message.pk, message.thread_id, message.direction, message.authentication,
            message.from_name, message.from_email, message.subject, message.received_at,
            message.created_at, *self.answers_to,
        )  # fmt: skip

    @property
    def answers_to(self) -> list[str]:
        """Where answers to it would go, other than to its sender."""
        message = self.reading.message
        named = [str(one.get("email", "")) for one in message.reply_to[:6]]
        return [email for email in named if email.lower() != message.from_email.lower()]

    @property
    def is_doubted(self) -> bool:
        """Whether something that is wrong with the proposal points at it or at words of it."""
        marks = (*self.head_marks, *(it for one in (*self.new, *self.quoted) for it in one.opens))
        return any(it.kind in {"claim", "flag"} for it in marks)

    @property
    def has_marked_quote(self) -> bool:
        """Whether what is folded holds something that is pointed at."""
        return any(stretch.opens for stretch in self.quoted)


@dataclass(frozen=True, slots=True)
class Sources:
    """What was read: the thread's newest messages, and others that it rests on."""

    thread: tuple[Reading, ...]
    elsewhere: tuple[Reading, ...]
    older: tuple[Message, ...]

    @property
    def readings(self) -> tuple[Reading, ...]:
        """All that are shown, the thread's first."""
        return (*self.thread, *self.elsewhere)

    @property
    def messages(self) -> list[Message]:
        """All of them, newest first, for looking through."""
        both = [one.message for one in self.readings]
        return sorted([*both, *self.older], key=lambda one: one.received_at, reverse=True)


def read_sources(actor: Actor, submission: Submission, flagged: Iterable[str]) -> Sources:
    """Read the thread, and what is cited or raised a flag elsewhere; in six queries at most."""
    cited = frozenset(_CITED.rows(actor=actor, draft=submission.draft_id))
    thread = submission.thread
    thread = (thread.merged_into or thread) if thread else None
    beside = read_thread(actor, thread, newest=NEWEST_BESIDE, cited=cited) if thread else []
    shown = {one.message.pk for one in beside}
    elsewhere = _read_elsewhere(actor, cited, shown, flagged)
    older = _read_older(actor, thread) if thread else ()
    return Sources(tuple(beside), tuple(elsewhere), tuple(older))


def _cited_in(*, actor: Actor, draft: int) -> list[Any]:
    cited = Message.objects.visible_to(actor).filter(cited_by=draft)
    return [cited.values_list("pk", flat=True)]


_CITED = Prepared(_cited_in)


def _read_older(actor: Actor, thread: Thread) -> list[Message]:
    return list(_OLDER.rows(actor=actor, thread=thread.pk))


def _older_of(*, actor: Actor, thread: int) -> list[Any]:
    rows = Message.objects.visible_to(actor).kept().filter(thread=thread)
    # They are looked through for addresses, and shown nowhere.
    rows = rows.only(
        "submission", "from_email", "from_name", "reply_to", "to", "cc", "text", "received_at"
    )
    return [rows.order_by("-received_at", "-id")[NEWEST_BESIDE : NEWEST_BESIDE + OLDER]]


_OLDER = Prepared(_older_of)


def _read_elsewhere(
    actor: Actor, cited: frozenset[int], shown: set[int], flagged: Iterable[str]
) -> list[Reading]:
    """Return what is cited, or named by a flag, and does not stand in the newest of the thread."""
    named = [ids.decode("msg", public_id) for public_id in flagged]
    keys = cited | {one[1] for one in named if one and len(one) == 2 and one[0] == 0}
    sent = {one[1] for one in named if one and len(one) == 2 and one[0] == 1}
    if not keys and not sent:
        return []
    if not sent and keys <= shown:
        return []
    rows = Message.objects.visible_to(actor).kept().filter(Q(pk__in=keys) | Q(submission__in=sent))
    rows = rows.exclude(pk__in=shown).defer("search_extra", "signals", "references")
    found = list(rows.select_related("thread").order_by("-pk")[:MOST_ELSEWHERE])
    files: dict[int, list[Attachment]] = {}
    for file in Attachment.objects.visible_to(actor).filter(
        message__in=[one.pk for one in found] or [0]
    ):
        files.setdefault(file.message_id, []).append(file)
    return [read_message(one, files.get(one.pk, ()), is_cited=one.pk in cited) for one in found]


def find_taken_passages(
    proposed: str, sources: Sources
) -> tuple[list[Passage], list[tuple[Reading, str]]]:
    """Return what the message took over, and the texts, as shown, that the passages number.

    What is cited counts before what is not, new words before quoted ones, and our own messages only
    where they are cited: a signature is no passage.
    """
    readings = [
        one for one in reversed(sources.readings)
        if one.is_cited or one.message.direction == Direction.INBOUND
    ]  # fmt: skip
    readings.sort(key=lambda one: not one.is_cited)
    texts = [(one, rejoin(one.new)) for one in readings]
    texts += [(one, rejoin(one.quoted)) for one in readings if one.quoted]
    return find_passages(proposed, [text for _, text in texts]), texts


def lay_out_sources(
    sources: Sources,
    passages: Sequence[Passage],
    texts: Sequence[tuple[Reading, str]],
    flags: Sequence[Flagged],
) -> tuple[SourceMessage, ...]:
    """Mark the passages, and the words that raised flags, in every message shown."""
    taken: dict[tuple[int, str], list[Span]] = {}
    for number, passage in enumerate(passages, start=1):
        reading, text = texts[passage.source]
        span = Span(*passage.in_source, Highlight("passage", number))
        taken.setdefault((reading.message.pk, text), []).append(span)
    used: set[Highlight] = set()
    # The newest first: of words that stand in several messages, those are linked.
    laid = [_lay(one, taken, flags, used) for one in _by_weight(sources, flags)]
    by_key = {one.reading.message.pk: one for one in laid}
    elsewhere = {one.message.pk for one in sources.elsewhere}
    return tuple(
        _placed(by_key[one.message.pk], is_elsewhere=one.message.pk in elsewhere)
        for one in (*sources.thread[::-1], *sources.elsewhere)
    )


def _by_weight(sources: Sources, flags: Sequence[Flagged]) -> list[Reading]:
    named = {one.source for one in flags if one.source}
    newest = [*sources.thread[::-1], *sources.elsewhere]
    return sorted(newest, key=lambda one: one.message.public_id not in named)


def _placed(one: SourceMessage, *, is_elsewhere: bool) -> SourceMessage:
    return replace(one, is_elsewhere=is_elsewhere)


def _lay(
    reading: Reading,
    taken: dict[tuple[int, str], list[Span]],
    flags: Sequence[Flagged],
    used: set[Highlight],
) -> SourceMessage:
    public_id = reading.message.public_id
    # Words that a flag took from elsewhere are looked for there, and nowhere else.
    excerpts = [one for one in flags if one.source in {"", public_id}]
    is_ours = reading.message.direction == Direction.OUTBOUND
    shown = [one for one in excerpts if not is_ours or one.mark.kind != "flag"]
    sides = []
    for text in (rejoin(reading.new), rejoin(reading.quoted)):
        spans = taken.get((reading.message.pk, text), [])
        sides.append(cut(text, [*spans, *flag_spans(text, shown)], used))
    pointing = (one for one in flags if one.mark.kind != "sourced")
    head = [one.mark for one in pointing if one.source == public_id and one.mark not in used]
    used.update(head)
    addresses = (one for one in flags if one.mark.kind == "flag" and "@" in one.excerpt)
    flagged = frozenset(one.excerpt.strip().lower() for one in addresses)
    return SourceMessage(
        reading, sides[0], sides[1], tuple(head), is_elsewhere=False, flagged=flagged
    )
