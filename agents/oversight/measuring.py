"""What is kept of each decision: how long its person looked, at what, and what they changed."""

from collections import Counter

from django.contrib.auth.models import User
from django.utils import timezone

from agents.approval.status import role_in
from agents.models import (
    Approval,
    ApprovalState,
    DecisionMeasure,
    DecisionVerb,
    Sight,
    Sighting,
)
from inbox.flags import read_flags

# So many words a second nobody reads. Adults read English silently at 238 words a minute, four a
# second, most of them at 175 to 300 (Brysbaert 2019, "How many words do we read per minute?", a
# review of 190 studies); from about 400 a minute on they skim, and understand less (Rayner and
# others 2016, "So much to read, so little time"). 600 a minute is half as fast again: whoever
# approves beyond that has not read it, even if they read well.
READ_A_SECOND = 10
# A longer look counts as that long: a day.
LONGEST_LOOK = 24 * 3600 * 1000
_QUICK = frozenset({DecisionVerb.FIRST, DecisionVerb.APPROVED})
_VERBS = {
    ApprovalState.WAITING: DecisionVerb.FIRST,
    ApprovalState.APPROVED: DecisionVerb.APPROVED,
    ApprovalState.REJECTED: DecisionVerb.REJECTED,
    ApprovalState.RETURNED: DecisionVerb.RETURNED,
}


def text_of(approval: Approval) -> str:
    """Return the words that a message says now; nothing where none would leave."""
    submission = approval.submission
    return f"{submission.draft.subject}\n{submission.draft.body}" if submission else ""


def count_words(text: str) -> int:
    """Return how many words there are, as blanks part them."""
    return len(text.split())


def count_changed(old: str, new: str) -> int:
    """Return how many words of the longer text are not in the other, wherever they stand."""
    before, after = Counter(old.split()), Counter(new.split())
    return max(before.total(), after.total()) - (before & after).total()


def measure(shown: Approval, decided: Approval, by: User, sighting: Sighting, text: str) -> None:
    """Keep how a decision was taken, in its transaction.

    `shown` is what they decided on and `text` what it said; `decided` the approval in its place
    after an edit, or itself.
    """
    if shown.agent.person_id == by.pk:
        # Their own message: there was nothing to oversee.
        return
    is_edit = decided.pk != shown.pk
    verb = DecisionVerb.EDITED if is_edit else _verb_of(decided)
    words = count_words(text)
    DecisionMeasure.objects.create(
        workspace_id=shown.workspace_id, approval=shown, agent_id=shown.agent_id, user=by,
        role=role_in(shown.workspace_id, by), verb=verb, way=sighting.way,
        decided_at=timezone.now(), opened_at=sighting.opened_at, milliseconds=sighting.milliseconds,
        end=sighting.end, source=_source(shown, sighting),
        words=words, changed_words=count_changed(text, text_of(decided)) if is_edit else 0,
        is_quick=verb in _QUICK and is_too_quick(words, sighting.milliseconds),
        flags=" ".join(sorted({flag.flag for flag in read_flags(shown.risk_flags)})),
    )  # fmt: skip


def _verb_of(decided: Approval) -> DecisionVerb:
    """Return what was decided; of what was planted that is not how it ended."""
    planted = decided.planted_item
    if planted is not None and planted.verb:
        return DecisionVerb(planted.verb)
    return _VERBS[ApprovalState(decided.state)]


def is_too_quick(words: int, milliseconds: int | None) -> bool:
    """Return True if so many words cannot be read in that time."""
    return milliseconds is not None and words * 1000 > READ_A_SECOND * milliseconds


def _source(shown: Approval, sighting: Sighting) -> str:
    submission = shown.submission
    answers = submission is not None and submission.draft.in_reply_to_id is not None
    return sighting.source if answers else Sight.NONE
