"""How far an answer that is not the rules' own may move what the rules say of a message.

As with what persons correct: more attention is always let. Less takes proof of who sent it, and
nothing makes less of what may be meant to deceive, whoever asks for it.
"""

from dataclasses import dataclass, replace
from typing import Final

from inbox.classify import Classification, Judgement
from inbox.models import Message
from inbox.operations.activities.changes import ATTENTION, URGENCY
from inbox.operations.activities.matching import why_sender_doubtful
from inbox.operations.activities.routing import CONFIDENT, route
from inbox.reasons import together
from inbox.understanding.port import RULES, Answer, Verdict

# What is put in quarantine as unwanted is as sure as this, whoever says so: below the line.
UNWANTED_CONFIDENCE: Final = 0.3


@dataclass(frozen=True, slots=True)
class HeededAnswer:
    """What the rules say with an answer; `by` is who gave it, `why` why it was not followed."""

    judgement: Judgement
    by: str = RULES
    why: str = ""
    # Whether it may be meant to deceive, by the rules or by the answer.
    is_guarded: bool = False


def heed_answer(
    judgement: Judgement, answer: Answer[Verdict], message: Message | None, *, imitates: bool
) -> HeededAnswer:
    """Return the rules' judgement with what an answer may change of it."""
    guarded = judgement.is_guarded or answer.value.guarded
    if answer.by == RULES:
        return HeededAnswer(judgement, is_guarded=guarded)
    said = judgement.classification
    wanted = _wanted(said, answer)
    if wanted == said:
        return HeededAnswer(judgement, answer.by, is_guarded=guarded)
    why = _why_not(judgement, wanted, message, imitates=imitates)
    if why:
        return HeededAnswer(judgement, why=why, is_guarded=guarded)
    because = answer.value.because
    reasons = together(because, said.reasoning) if because else said.reasoning
    heeded = replace(judgement, classification=replace(wanted, reasoning=reasons))
    return HeededAnswer(heeded, answer.by, is_guarded=guarded)


def _wanted(said: Classification, answer: Answer[Verdict]) -> Classification:
    verdict = answer.value
    unwanted = bool(verdict.unwanted or verdict.guarded)
    sure = min(said.confidence, UNWANTED_CONFIDENCE) if unwanted else answer.confidence
    return replace(
        said,
        activity_type=verdict.activity_type,
        urgency=verdict.urgency,
        autonomy_tier=verdict.tier,
        confidence=sure,
        option_framing=said.option_framing if verdict.tier > 2 else None,
    )


def _why_not(
    judgement: Judgement, wanted: Classification, message: Message | None, *, imitates: bool
) -> str:
    """Return why an answer is not followed; "" where it asks for no less, or may."""
    said = judgement.classification
    if not _lowers(said, wanted):
        return ""
    if judgement.is_guarded:
        return "it may be meant to deceive"
    if message is None:
        return "nothing proves who sent it"
    return why_sender_doubtful(message, imitates=imitates)


def _lowers(said: Classification, wanted: Classification) -> bool:
    """Return True if somebody would look at it less than by the rules."""
    before = ATTENTION[route(said.autonomy_tier, said.confidence)]
    after = ATTENTION[route(wanted.autonomy_tier, wanted.confidence)]
    if wanted.confidence < CONFIDENT:
        # Quarantine is a lock: nothing in it is done, or put away, by itself.
        return after < before
    return (
        after < before
        or wanted.autonomy_tier < said.autonomy_tier
        or URGENCY[wanted.urgency] < URGENCY[said.urgency]
    )
