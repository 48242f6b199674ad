"""The brake: what an agent does too often in a short time waits for a person."""

from datetime import timedelta

from django.conf import settings
from django.utils import timezone

from agents.contracts import REGISTRY, Effect, Tool
from agents.models import Outcome
from agents.receipts import own_since
from inbox.actor import Actor
from inbox.reasons import ReasonText, say

WINDOW = timedelta(minutes=10)


def find_brake(tool: Tool, actor: Actor) -> ReasonText | None:
    """Return why a call of an agent waits for a person, where it deletes one thing too many.

    What a person approved does not count. The brake is off where the setting is 0.
    """
    most = settings.DELETIONS_BEFORE_A_PERSON
    if not most or actor.kind != "agent" or not _deletes(tool):
        return None
    names = [one.name for one in REGISTRY.tools if _deletes(one)]
    done = own_since(actor, timezone.now() - WINDOW).filter(
        tool__in=names, outcome=Outcome.OK, approval=""
    )
    if not done.order_by("-id")[most - 1 : most].exists():
        return None
    return say("brake", count=most, minutes=int(WINDOW.total_seconds() // 60))


def _deletes(tool: Tool) -> bool:
    return tool.effect is Effect.DESTROY and tool.family != "resource"
