"""Silent items drawn at random for people to check, and how often the silence was right."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from math import sqrt
from typing import Any

from django.db import connection, transaction
from django.db.models import F, QuerySet, Window
from django.db.models.functions import RowNumber
from django.utils import timezone

from agents import receipts
from agents.models import SampleCheck, Verdict
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Account, Activity
from inbox.operations.activities.routing import CONFIDENT
from inbox.prepared import Prepared
from inbox.reasons import phrase as _
from inbox.reasons import say

DRAWN = 5
SILENT_TIERS = (1, 2)
# The order of the index `activity_counted`, in which no two rows are equal.
_BY_INDEX = ("workspace_id", "created_at", "autonomy_tier", "confidence", "message_id", "pk")
# The numbers of a 95 % interval (Wilson's).
_Z = 1.959964


def silent_activities(
    *, actor: Actor, begins: datetime, ends: datetime, account: Account | None = None
) -> QuerySet[Any]:
    """Return what was classified as silent or only to note, within these times."""
    return _silent(actor, begins, ends, (account.pk,) if account else ())


def _silent(
    actor: Actor, begins: datetime, ends: datetime, accounts: tuple[int, ...]
) -> QuerySet[Any]:
    rows = Activity.objects.visible_to(actor).filter(
        created_at__gte=begins, created_at__lt=ends, autonomy_tier__in=SILENT_TIERS,
        confidence__gte=CONFIDENT,
    )  # fmt: skip
    return rows.filter(message__inbox__account__in=accounts) if accounts else rows


def _countable(**given: Any) -> list[QuerySet[Any]]:
    return [_silent(**given).order_by().values("pk")]


def _in_index(**given: Any) -> list[QuerySet[Any]]:
    """Return each with its number in the order of the index."""
    place = Window(RowNumber(), order_by=[F(column) for column in _BY_INDEX])
    rows = _silent(**given).order_by().annotate(drawn=F("pk"), place=place)
    return [rows.values_list("drawn", "place")]


_COUNTABLE, _IN_INDEX = Prepared(_countable), Prepared(_in_index)


def draw_sample(
    *, actor: Actor, begins: datetime, ends: datetime, account: Account | None = None,
    seed: str, size: int = DRAWN,
) -> list[int]:  # fmt: skip
    """Return the keys of some silent activities, each as likely as any other; the same for a seed.

    They are counted, and then numbered in their index; none is read or sorted by chance.
    """
    given: dict[str, Any] = {
        "actor": actor, "begins": begins, "ends": ends,
        "accounts": (account.pk,) if account else (),
    }  # fmt: skip
    (total,) = _COUNTABLE.counts(**given)
    chance = random.Random(seed)  # noqa: S311
    keys = _at_places(sorted(chance.sample(range(1, total + 1), min(size, total))), given)
    chance.shuffle(keys)
    return list(dict.fromkeys(keys))


def _at_places(places: Sequence[int], given: dict[str, Any]) -> list[int]:
    """Return the keys at these places, counted from one, in the order of the index."""
    if not places:
        return []
    sql, parameters = _IN_INDEX.sql(**given)
    marks = ", ".join(["%s"] * len(places))
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT drawn FROM ({sql}) numbered WHERE place IN ({marks}) ORDER BY place",  # noqa: S608
            [*parameters, *places],
        )
        return [key for (key,) in cursor.fetchall()]


def check_activity(*, actor: Actor, activity: Activity, verdict: str) -> SampleCheck:
    """Keep this person's verdict on a silent item, in the place of an earlier one.

    `actor` is of the activity's workspace alone. Raises DomainError.
    """
    if verdict not in Verdict.values:
        raise invalid(
            "verdict",
            _("%(verdict)s is not a verdict.", verdict=repr(verdict)),
            ", ".join(Verdict.values),
        )
    if activity.autonomy_tier not in SILENT_TIERS:
        raise DomainError("conflict", _("It was not handled silently."))
    with transaction.atomic():
        check, _created = SampleCheck.objects.update_or_create(
            activity=activity,
            defaults={
                "workspace_id": activity.workspace_id, "verdict": verdict,
                "autonomy_tier": activity.autonomy_tier, "checked_by_id": actor.id,
                "checked_at": timezone.now(),
            },
        )  # fmt: skip
        arguments = {"activity_id": activity.public_id, "verdict": verdict}
        code = "silence_right" if verdict == Verdict.RIGHT else "silence_wrong"
        reason = say(code, person=actor.name)
        entry = ReceiptEntry("check_silent_activity", arguments, reason)
        receipts.record(actor, entry)
    return check


@dataclass(frozen=True, slots=True)
class Precision:
    """How many of so many checked items were rightly silent, and the 95 % interval of the share."""

    right: int
    total: int

    @property
    def share(self) -> float:
        """The share that was right."""
        return self.right / self.total if self.total else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's score interval, which holds for few items and near all as well."""
        if not self.total:
            return 0.0, 1.0
        square, share = _Z**2, self.share
        middle = (share + square / (2 * self.total)) / (1 + square / self.total)
        spread = sqrt(share * (1 - share) / self.total + square / (4 * self.total**2))
        half = _Z * spread / (1 + square / self.total)
        return max(0.0, middle - half), min(1.0, middle + half)


def precision_of(counted: Sequence[tuple[str, int]]) -> Precision:
    """Return the precision of (verdict, count) pairs."""
    right = sum(count for verdict, count in counted if verdict == Verdict.RIGHT)
    return Precision(right, sum(count for _, count in counted))
