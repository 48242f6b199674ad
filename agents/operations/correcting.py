"""What a person corrects, with the receipts of it. No tool leads here: agents correct nothing."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.models import Activity, ActivityChange, Correction, CorrectionOffer
from inbox.operations.activities import corrections as operations
from inbox.operations.activities.corrections import CorrectedValues
from inbox.operations.activities.history import undo_change

# As many activities stand in a receipt by their ids.
_NAMED = 100


@dataclass(frozen=True, slots=True)
class CorrectionResult:
    """A correction, and how many of the open items it changed."""

    correction: Correction
    changes: tuple[ActivityChange, ...] = ()


def correct(
    *, activity: Activity, by: User, scope: str, says: CorrectedValues, open_too: bool = False
) -> CorrectionResult:
    """Correct the rules for where an activity came from; with `open_too`, what is open by them.

    The activity itself is judged anew in any case. Raises DomainError.
    """
    actor = _person(activity.workspace_id, by)
    with transaction.atomic():
        made = operations.make_correction(by=by, activity=activity, scope=scope, says=says)
        receipts.record(actor, ReceiptEntry(tool="make_correction", arguments=_arguments(made)))
    changes = _apply(actor, made, None if open_too else activity)
    return CorrectionResult(made, tuple(changes))


def take_offer(*, offer: CorrectionOffer, by: User) -> Correction:
    """Make the correction that is offered. Raises DomainError where it is closed."""
    with transaction.atomic():
        made = operations.take_offer(offer=offer, by=by)
        arguments = {**_arguments(made), "offer_id": offer.public_id}
        entry = ReceiptEntry(tool="make_correction", arguments=arguments)
        receipts.record(_person(offer.workspace_id, by), entry)
    return made


def revoke(*, correction: Correction, by: User) -> bool:
    """Revoke a correction; return whether it was in force."""
    actor = _person(correction.workspace_id, by)
    with transaction.atomic():
        done = operations.revoke_correction(correction=correction, by=by)
        if done:
            receipts.record(
                actor, ReceiptEntry(tool="revoke_correction", arguments=_arguments(correction))
            )
    return done


def restore(*, correction: Correction, by: User) -> bool:
    """Put a revoked correction in force again; return whether it was revoked."""
    actor = _person(correction.workspace_id, by)
    with transaction.atomic():
        done = operations.restore_correction(correction=correction, by=by)
        if done:
            entry = ReceiptEntry(tool="restore_correction", arguments=_arguments(correction))
            receipts.record(actor, entry)
    return done


def apply(*, correction: Correction, by: User) -> list[ActivityChange]:
    """Use a correction on the open items that it is about; return what changed."""
    return _apply(_person(correction.workspace_id, by), correction, None)


def judge_again(*, correction: Correction, by: User) -> list[ActivityChange]:
    """Judge anew what a correction had a say in; return what changed."""
    actor = _person(correction.workspace_id, by)
    told = partial(_record, actor, correction, "judge_again")
    return operations.judge_touched_again(actor=actor, correction=correction, also=told)


def take_back(*, change: ActivityChange, by: User) -> Activity:
    """Undo one change of an activity, with its receipt. Raises DomainError."""
    actor = _person(change.workspace_id, by)
    with transaction.atomic():
        activity = undo_change(actor=actor, change=change)
        entry = ReceiptEntry(
            tool="undo_activity_change",
            arguments={"activity_id": activity.public_id, "change_id": change.public_id},
            result=change.before,
        )
        receipts.record(actor, entry)
    return activity


def _apply(actor: Actor, correction: Correction, only: Activity | None) -> list[ActivityChange]:
    told = partial(_record, actor, correction, "apply_correction")
    return operations.apply_correction(actor=actor, correction=correction, only=only, also=told)


def _record(actor: Actor, correction: Correction, tool: str, changes: list[ActivityChange]) -> None:
    if not changes:
        return
    named = [change.activity.public_id for change in changes[:_NAMED]]
    entry = ReceiptEntry(
        tool=tool, arguments=_arguments(correction),
        result={"updated_count": len(changes), "activity_ids": named},
    )  # fmt: skip
    receipts.record(actor, entry)


def _arguments(correction: Correction) -> dict[str, Any]:
    said = {
        "route": correction.route, "activity_type": correction.activity_type,
        "urgency": correction.urgency, "autonomy_tier": correction.autonomy_tier,
        "note": correction.note,
    }  # fmt: skip
    return {
        "correction_id": correction.public_id, "scope": correction.scope,
        "value": correction.value, **{name: value for name, value in said.items() if value},
    }  # fmt: skip


def _person(workspace_id: int, by: User) -> Actor:
    return Actor("person", by.pk, by.get_username(), (workspace_id,))
