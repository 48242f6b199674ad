"""What stands beside a proposal, read together: message, thread, versions, policy, reading."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.admin.evidence.claims import ClaimsSeen, number_claims, see_claims, source_words
from agents.admin.evidence.correspondence import Correspondent, read_correspondents
from agents.admin.evidence.highlights import Highlight
from agents.admin.evidence.kept_files import read_kept_files
from agents.admin.evidence.named_days import NamedDay, read_named_days
from agents.admin.evidence.passages import Passage
from agents.admin.evidence.policy import PolicySeen, read_policy_seen
from agents.admin.evidence.reading_history import ReadingHistory, read_reading_history
from agents.admin.evidence.sources import (
    SourceMessage,
    find_taken_passages,
    lay_out_sources,
    read_sources,
)
from agents.admin.evidence.versions import Comparison, compare, read_editions
from agents.admin.language_model.note import note_of_model
from agents.admin.review.flags import FlagsSeen, find_uninspectable_parts, number_flags, see_flags
from agents.admin.review.sealed_message import SealedMessage, read_sealed_message
from agents.evidence.recalled import UsedMemory, read_used_memories
from agents.models import Approval
from inbox.actor import Actor
from inbox.models import Direction, Submission
from inbox.rfc5322.parse import parse_outgoing


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a reviewer needs beside the proposal; `message` is None where nothing would leave."""

    message: SealedMessage | None
    flags: FlagsSeen
    claims: ClaimsSeen
    beside: tuple[SourceMessage, ...]
    passages: tuple[Passage, ...]
    comparison: Comparison | None
    policy: PolicySeen | None
    reading_history: ReadingHistory
    memories: Sequence[UsedMemory] = ()
    # What became of having the language model read it, in words.
    by_model: str = ""
    correspondents: Sequence[Correspondent] = ()
    days: Sequence[NamedDay] = ()
    # Whether the message that it answers stands on the page.
    is_answer: bool = False
    # Of the thread what is read first, and the other messages, newest first.
    first: tuple[SourceMessage, ...] = ()
    rest: tuple[SourceMessage, ...] = ()

    @property
    def thread(self) -> tuple[SourceMessage, ...]:
        """The messages of the thread, newest first."""
        return tuple(one for one in self.beside if not one.is_elsewhere)

    @property
    def shown(self) -> Hashable:
        """All that the page shows of the messages beside, by which that part of it is kept."""
        return (
            self.is_answer, len(self.passages), len(self.first),
            *(one.shown for one in (*self.first, *self.rest, *self.elsewhere)),
        )  # fmt: skip

    @property
    def elsewhere(self) -> tuple[SourceMessage, ...]:
        """Further messages that the proposal rests on."""
        return tuple(one for one in self.beside if one.is_elsewhere)


def read_evidence(actor: Actor, approval: Approval, picked: Mapping[str, Any]) -> Evidence:
    """Read it, in a constant number of queries; `picked` names two versions as `old`, `new`."""
    reading_history = read_reading_history(actor, approval)
    memories = read_used_memories(actor, approval)
    submission = approval.submission
    if submission is None:
        flags = see_flags(approval.risk_flags)
        return Evidence(None, flags, ClaimsSeen(), (), (), None, None, reading_history, memories)
    found = _of_message(actor, approval, submission, picked, reading_history)
    return replace(found, memories=memories)


def _of_message(
    actor: Actor,
    approval: Approval,
    submission: Submission,
    picked: Mapping[str, Any],
    reading_history: ReadingHistory,
) -> Evidence:
    numbered, claims = number_flags(approval.risk_flags), number_claims(approval.marks)
    named = [*numbered, *source_words(one for one in claims if one.mark.kind == "claim")]
    parsed = parse_outgoing(submission.mime_bytes)
    sources = read_sources(actor, submission, [one.source for one in named])
    passages, texts = find_taken_passages(parsed.text, sources)
    editions = read_editions(actor, approval)
    message = read_sealed_message(
        actor, submission, parsed, flags=numbered, passages=passages, sources=sources,
        editions=editions, kept=read_kept_files(actor, [approval]).get(approval.pk, {}),
        claims=claims, uninspectable=find_uninspectable_parts(approval.risk_flags),
        doubted=[*numbered, *source_words(claims, "attachment")],
    )  # fmt: skip
    beside = lay_out_sources(sources, passages, texts, [*numbered, *source_words(claims)])
    flags = see_flags(approval.risk_flags, in_message=message.marked, in_source=_flagged_in(beside))
    return Evidence(
        message=message, flags=flags, beside=beside, passages=tuple(passages),
        claims=see_claims(claims, message.marked, message.text),
        comparison=compare(editions, picked),
        policy=read_policy_seen(actor, submission, message.text), reading_history=reading_history,
        by_model=note_of_model(actor, approval),
        correspondents=read_correspondents(actor, submission, message.recipients),
        days=read_named_days(actor, approval, message.text),
        **_in_reading_order(beside, submission.draft.in_reply_to_id),
    )  # fmt: skip


def _in_reading_order(beside: Sequence[SourceMessage], answered: int | None) -> dict[str, Any]:
    """Return what is read first: what it answers, then the messages with words that are doubted.

    Where it answers none of those shown, the newest that came in, or the newest.
    """
    thread = [one for one in beside if not one.is_elsewhere]
    named = [one for one in thread if one.reading.message.pk == answered]
    came_in = [one for one in thread if one.reading.message.direction == Direction.INBOUND]
    lead = next(iter([*named, *came_in, *thread]), None)
    first = [one for one in thread if one is lead or one.is_doubted]
    first.sort(key=lambda one: one is not lead)
    rest = [one for one in thread if not any(one is it for it in first)]
    return {"is_answer": bool(named), "first": tuple(first), "rest": tuple(rest)}


def _flagged_in(beside: Sequence[SourceMessage]) -> frozenset[Highlight]:
    marks = (
        mark
        for one in beside
        for mark in (
            *one.head_marks,
            *(opened for stretch in (*one.new, *one.quoted) for opened in stretch.opens),
        )
    )
    return frozenset(mark for mark in marks if mark.kind == "flag")
