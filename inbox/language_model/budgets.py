"""How much a model may be used for an account in a day: counted before it is asked, and after.

Before, all that the question may cost is set aside, in a transaction; afterwards what it did cost
stands in its place. What a process that died had set aside stays counted until the day is over.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Greatest

from inbox.language_model.errors import ModelError
from inbox.models import Account, ModelUse


@dataclass(frozen=True, slots=True)
class Reserved:
    """What was set aside for a question: the row that it is counted in, and how much."""

    use_id: int
    tokens: int
    milliseconds: int


def reserve(account: Account, tokens: int, seconds: float) -> Reserved:
    """Set aside what a question may cost; raises ModelError `over_tokens`, `over_seconds`.

    It must not be within a transaction: the model is asked next.
    """
    milliseconds = int(seconds * 1000)
    day = datetime.now(UTC).date()
    with transaction.atomic(durable=True):
        # Of two at once the second waits here until the first is counted.
        ModelUse.objects.bulk_create(
            [ModelUse(workspace_id=account.workspace_id, account=account, day=day)],
            ignore_conflicts=True,
        )
        rows = ModelUse.objects.select_for_update().filter(
            workspace_id=account.workspace_id, account=account, day=day
        )
        row = rows.get()
        if row.tokens + tokens > settings.MODEL_TOKENS_A_DAY:
            raise ModelError("over_tokens")
        if row.milliseconds + milliseconds > settings.MODEL_SECONDS_A_DAY * 1000:
            raise ModelError("over_seconds")
        rows.update(
            tokens=F("tokens") + tokens, milliseconds=F("milliseconds") + milliseconds,
            questions=F("questions") + 1,
        )  # fmt: skip
    return Reserved(row.pk, tokens, milliseconds)


def settle(reserved: Reserved, tokens: int, milliseconds: int) -> None:
    """Put what a question did cost in the place of what was set aside for it."""
    ModelUse.objects.filter(pk=reserved.use_id).update(
        tokens=Greatest(F("tokens") + (tokens - reserved.tokens), 0),
        milliseconds=Greatest(F("milliseconds") + (milliseconds - reserved.milliseconds), 0),
    )
