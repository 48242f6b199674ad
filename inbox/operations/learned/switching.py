"""Turning a version on, which only a person does, and off, which it does by itself when worse."""

from collections import defaultdict
from datetime import datetime, timedelta
from typing import Final

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from inbox.background.jobs import publish
from inbox.background.periodic import periodic
from inbox.errors import DomainError
from inbox.models import (
    Activity,
    ActivitySource,
    ActivityStatus,
    ActivityType,
    LearnedModel,
    LearnedOpinion,
    LearnedState,
    Urgency,
    Workspace,
)
from inbox.operations.activities.priority import settle_order_of
from inbox.operations.learned.decisions import labels_since
from inbox.reasons import ReasonText, say
from inbox.reasons import phrase as _

# A version goes off where so many of its differences were decided, over a fifth of them wrong.
LEAST_DECIDED: Final = 10
MOST_WRONG: Final = 0.2
# So far back its differences are looked at, and so many.
LOOKED_BACK: Final = timedelta(days=30)
MOST_LOOKED_AT: Final = 2_000


def switch_on(*, model: LearnedModel, by: User) -> None:
    """Have a version followed from now on, in place of the one that is.

    For people only: no tool comes here. Raises DomainError (`conflict`) where it is on already.
    """
    with transaction.atomic():
        Workspace.objects.select_for_update(no_key=True).get(pk=model.workspace_id)
        rows = LearnedModel.objects.filter(workspace_id=model.workspace_id, about=model.about)
        if rows.filter(pk=model.pk, state=LearnedState.ON).exists():
            raise DomainError("conflict", _("It is already on."))
        reason = say("learned_replaced", version=model.version)
        rows.filter(state=LearnedState.ON).update(state=LearnedState.OFF, reason=reason)
        rows.filter(pk=model.pk).update(state=LearnedState.ON, reason="", **_switched(by))


def switch_off(*, model: LearnedModel, by: User) -> bool:
    """Have a version followed no more, but watched; return whether it was on."""
    with transaction.atomic():
        Workspace.objects.select_for_update(no_key=True).get(pk=model.workspace_id)
        rows = LearnedModel.objects.filter(workspace_id=model.workspace_id, about=model.about)
        is_watched = rows.filter(state=LearnedState.SHADOW).exists()
        state = LearnedState.OFF if is_watched else LearnedState.SHADOW
        own = rows.filter(pk=model.pk, state=LearnedState.ON)
        return bool(own.update(state=state, reason="", **_switched(by)))


def _switched(by: User) -> dict[str, object]:
    return {
        "switched_by": by, "switched_by_name": by.get_username(), "switched_at": timezone.now()
    }  # fmt: skip


def turn_off_by_itself(model: LearnedModel, reason: ReasonText) -> bool:
    """Turn a version off and put a note of that before people, once; return whether it was on."""
    now = timezone.now()
    with transaction.atomic():
        rows = LearnedModel.objects.filter(pk=model.pk, state=LearnedState.ON)
        off = {"switched_by": None, "switched_by_name": "", "switched_at": now}
        if not rows.update(state=LearnedState.OFF, reason=reason, **off):
            return False
        title = f"Learned version {model.version}"
        note = Activity.objects.create(
            workspace_id=model.workspace_id, source=ActivitySource.NOTE,
            source_id=f"{model.public_id}:{now:%Y%m%d%H%M%S}", sender="Chancery", title=title,
            summary=title, status=ActivityStatus.SURFACED, urgency=Urgency.NORMAL,
            activity_type=ActivityType.INFORMATION, autonomy_tier=4, confidence=1.0,
            reasoning=say("learned_off", why=reason), suggested_actions=[say("look_at_learned")],
            option_framing=say("learned_options"), created_at=now,
        )  # fmt: skip
        settle_order_of([note.pk])
        for fact in ("activity.created", "activity.surfaced"):
            publish(fact, {"activity_ids": [note.pk]}, workspace_id=model.workspace_id)
    return True


@periodic(600)
def turn_off_what_got_worse(now: datetime | None = None) -> int:
    """Turn off versions whose differences people decided otherwise; return how many."""
    since = (now or timezone.now()) - LOOKED_BACK
    rows = LearnedOpinion.objects.filter(
        model__state=LearnedState.ON, was_followed=True, at__gte=since
    )
    newest = list(
        rows.select_related("model").defer("model__content").order_by("-pk")[:MOST_LOOKED_AT]
    )
    decided = labels_since(one.activity_id for one in newest)
    counts: dict[int, list[bool]] = defaultdict(list)
    models: dict[int, LearnedModel] = {}
    for one in newest:
        label, switched_at = decided.get(one.activity_id), one.model.switched_at
        if label and switched_at and one.at >= switched_at:
            counts[one.model_id].append(label == one.said)
            models[one.model_id] = one.model
    worse = [key for key, right in counts.items() if _is_worse(right)]
    for key in worse:
        wrong = counts[key].count(False)
        turn_off_by_itself(models[key], say("learned_worse", wrong=wrong, count=len(counts[key])))
    return len(worse)


def _is_worse(right: list[bool]) -> bool:
    return len(right) >= LEAST_DECIDED and right.count(False) > MOST_WRONG * len(right)
