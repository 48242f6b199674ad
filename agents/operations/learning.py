"""What a person does with what was learned, with the receipts of it. No tool leads here."""

from django.contrib.auth.models import User
from django.db import transaction

from agents import receipts
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.models import LearnedModel
from inbox.operations.learned import switching


def switch_on(*, model: LearnedModel, by: User) -> None:
    """Have a version followed. Raises DomainError where it is already."""
    with transaction.atomic():
        switching.switch_on(model=model, by=by)
        _record(model, by, is_on=True)


def switch_off(*, model: LearnedModel, by: User) -> bool:
    """Have a version followed no more; return whether it was."""
    with transaction.atomic():
        done = switching.switch_off(model=model, by=by)
        if done:
            _record(model, by, is_on=False)
    return done


def _record(model: LearnedModel, by: User, *, is_on: bool) -> None:
    entry = ReceiptEntry(
        tool="switch_learned",
        arguments={
            "model_id": model.public_id, "about": model.about, "version": model.version,
            "on": is_on,
        },
    )  # fmt: skip
    receipts.record(_person(model.workspace_id, by), entry)


def _person(workspace_id: int, by: User) -> Actor:
    return Actor("person", by.pk, by.get_username(), (workspace_id,))
