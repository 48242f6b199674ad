"""Where what was learned differs from the rules: kept with each item, whether followed or not."""

from collections.abc import Iterable, Sequence

from inbox.classify import Judgement
from inbox.models import (
    Activity,
    ActivityStatus,
    LearnedModel,
    LearnedOpinion,
    LearnedState,
    Message,
)
from inbox.operations.activities.answers import heed_answer
from inbox.operations.activities.routing import route
from inbox.operations.learned.backend import JUDGE, LearnedAnswer, judge_by
from inbox.understanding.port import JudgeQuestion


class Watched:
    """The versions of a batch's workspaces that are asked, read with one query."""

    def __init__(self, workspace_ids: Iterable[int]) -> None:
        rows = LearnedModel.objects.asked().filter(workspace_id__in=workspace_ids, about=JUDGE)
        self._models: dict[int, list[LearnedModel]] = {}
        for row in rows.defer("content", "figures").order_by("pk"):
            self._models.setdefault(row.workspace_id, []).append(row)

    def opinions_of(
        self, message: Message, question: JudgeQuestion, *, imitates: bool
    ) -> list[LearnedOpinion]:
        """Return, not yet kept and without their activity, where versions differ from the rules."""
        by_rules, before = question.by_rules, _goes(question.by_rules)
        found = []
        for model in self._models.get(message.workspace_id, ()):
            said = judge_by(model, question)
            if said is None:
                continue
            heeded = heed_answer(by_rules, said.answer, message, imitates=imitates)
            after = _goes(heeded.judgement)
            if after != before:
                found.append(_opinion(model, said, before, after))
        return found


def _goes(judgement: Judgement) -> ActivityStatus:
    made = judgement.classification
    return route(made.autonomy_tier, made.confidence)


def _opinion(
    model: LearnedModel, said: LearnedAnswer, before: ActivityStatus, after: ActivityStatus
) -> LearnedOpinion:
    return LearnedOpinion(
        workspace_id=model.workspace_id, model=model, said=said.label, would=after,
        weights=[[name, round(weight, 3)] for name, weight in said.weights], by_rules=before,
        confidence=said.answer.confidence, was_followed=model.state == LearnedState.ON,
    )  # fmt: skip


def keep_opinions(kept: Iterable[tuple[Activity, Sequence[LearnedOpinion]]]) -> None:
    """Keep what versions said of activities, in the transaction in which these are kept.

    One is followed whose activity went where it said; a correction may have had the last word.
    """
    rows = []
    for activity, opinions in kept:
        for one in opinions:
            one.activity = activity
            one.was_followed = one.was_followed and activity.status == one.would
            rows.append(one)
    LearnedOpinion.objects.bulk_create(rows, batch_size=500)
