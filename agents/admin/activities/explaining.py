"""Why an activity stands where it stands: signals, points, the rule, a correction, and history."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from agents.admin.activities.telling_words import telling_spans
from agents.admin.evidence.highlights import Flagged, Highlight, HighlightedText, cut, flag_spans
from inbox.actor import Actor
from inbox.admin.messages.layout import LONGEST_TEXT
from inbox.classify.explain import Explanation, FoundSignal, explain
from inbox.models import Activity, ActivityChange, Message
from inbox.operations.activities.deciding import DecidingContext
from inbox.operations.activities.matching import CorrectionMatch
from inbox.rfc5322.text.flowed import rejoin

# So many signs are shown at once; the rest are folded.
FIRST_SIGNS = 6
NEWEST_CHANGES = 12
ROUTES: dict[str, Any] = {
    "quarantined": _("The rules are less than half sure, so it is kept in quarantine."),
    "processed": _("The rules are sure enough, and its tier needs no one: it is handled silently."),
    "needs_review": _(
        "The rules are sure enough, and its tier needs a decision: it goes to review."
    ),
    "surfaced": _(
        "The rules are sure enough, and its tier is urgent or important: it is surfaced."
    ),
    "archived": _("It was dismissed."),
}
_FIELDS: dict[str, Any] = {
    "status": _("status"), "urgency": _("urgency"), "autonomy_tier": _("tier"),
    "activity_type": _("kind"), "confidence": _("confidence"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class NumberedSignal:
    """A sign with the number of its mark in the message; 0 where it marks no words."""

    number: int
    sign: FoundSignal


@dataclass(frozen=True, slots=True)
class RulesExplanation:
    """The rules' view of a message today; `differs` where it is not what was stored."""

    explanation: Explanation
    heeded: CorrectionMatch
    signs: tuple[NumberedSignal, ...]
    body: tuple[HighlightedText, ...]
    route_words: Any
    differs: bool

    @property
    def first_signs(self) -> tuple[NumberedSignal, ...]:
        """Those that say most."""
        return self.signs[:FIRST_SIGNS]

    @property
    def other_signs(self) -> tuple[NumberedSignal, ...]:
        """The rest."""
        return self.signs[FIRST_SIGNS:]


@dataclass(frozen=True, slots=True)
class Step:
    """One change since it was classified, in words."""

    change: ActivityChange
    parts: tuple[tuple[Any, str, str], ...]
    undoes: bool


def explain_activity(activity: Activity) -> RulesExplanation | None:
    """Work out anew why a message is judged as it is; None for what is no message."""
    message = activity.message
    if message is None or message.deleted_at is not None:
        return None
    around = DecidingContext([message])
    judgement = around.judge(message)
    heeded = around.decide(message)
    explanation = explain(judgement)
    body, signs = _mark(message, explanation.signs)
    return RulesExplanation(
        explanation=explanation,
        heeded=heeded,
        signs=signs,
        body=body,
        route_words=ROUTES.get(heeded.status, ""),
        differs=(
            activity.activity_type,
            activity.autonomy_tier,
        ) != (heeded.classification.activity_type, heeded.classification.autonomy_tier),
    )  # fmt: skip


def _mark(
    message: Message, signs: Sequence[FoundSignal]
) -> tuple[tuple[HighlightedText, ...], tuple[NumberedSignal, ...]]:
    """Mark what one looks for and the words of the signs, and number the signs that are there."""
    text = rejoin(message.new_text.strip("\n") or message.text)[:LONGEST_TEXT]
    spans = flag_spans(
        text,
        [Flagged(Highlight("flag", n), sign.excerpt, "") for n, sign in enumerate(signs, start=1)],
    )
    marked = {span.mark.number for span in spans}
    numbered = tuple(
        NumberedSignal(number if number in marked else 0, sign)
        for number, sign in enumerate(signs, start=1)
    )
    telling = telling_spans(text, timezone.localtime(message.received_at).date())
    return cut(text, [*spans, *telling]), numbered


def read_history(actor: Actor, activity: Activity) -> list[Step]:
    """Return how it changed since it was classified, the newest first, in one query."""
    rows = ActivityChange.objects.visible_to(actor).filter(activity=activity)
    newest = rows.select_related("correction").order_by("-id")[:NEWEST_CHANGES]
    return [
        Step(
            change,
            tuple(
                (words, _shown(change.before[name]), _shown(change.after[name]))
                for name, words in _FIELDS.items()
                if name in change.after
            ),
            change.undoes_id is not None,
        )
        for change in newest
    ]


def _shown(value: object) -> str:
    return "" if value is None else str(value).replace("_", " ")
