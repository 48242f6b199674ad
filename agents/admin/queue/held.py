"""What quotas hold beside the queue: how much of whom, and what is done to all of an agent's."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Count
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from agents.admin.queue.criteria import QueueCriteria
from agents.approval.status import ApprovalError
from agents.models import Agent, Approval
from agents.operations.releasing import reject_all, release_all
from inbox import ids
from inbox.actor import Actor
from inbox.admin.finding import first_or_404, let_decide
from inbox.prepared import Prepared
from inbox.reasons import say
from inbox.viewer import Viewer, viewer_of

# No more are counted, of all agents together.
COUNTED = 1000


@dataclass(frozen=True, slots=True)
class HeldGroup:
    """What quotas hold of an agent: how much, as it is written, and where it is listed."""

    agent_id: str
    name: str
    number: int
    count: str
    url: str
    is_shown: bool
    may_decide: bool


def read_held(viewer: Viewer, wanted: QueueCriteria) -> list[HeldGroup]:
    """Return what is held of each agent, in one query."""
    found = list(_HELD.rows(actor=viewer.actor))
    is_cut = sum(one["n"] for one in found) > COUNTED
    return [
        _group(viewer, wanted, one, is_cut)
        for one in sorted(found, key=lambda it: (-it["n"], it["agent__name"]))
    ]


def _held(*, actor: Actor) -> list[Any]:
    first = Approval.objects.visible_to(actor).over_quota().order_by().values("pk")
    rows: Any = Approval.objects.filter(pk__in=first[: COUNTED + 1])
    rows = rows.order_by().values("agent_id", "agent__name", "workspace_id")
    return [rows.annotate(n=Count("pk"))]


_HELD = Prepared(_held)


def _group(
    viewer: Viewer, wanted: QueueCriteria, one: Mapping[str, Any], is_cut: bool
) -> HeldGroup:
    agent_id = ids.encode(Agent.ID_PREFIX, one["agent_id"])
    return HeldGroup(
        agent_id=agent_id,
        name=one["agent__name"],
        number=one["n"],
        count=f"{one['n']}+" if is_cut else str(one["n"]),
        url=QueueCriteria(tab="waiting", held="yes", agent=agent_id).url(),
        is_shown=bool(wanted.held) and wanted.agent in {"", agent_id},
        may_decide=viewer.may_decide(one["workspace_id"]),
    )


@require_POST
def decide_held(request: HttpRequest) -> HttpResponse:
    """Let all of an agent's into the queue, or reject all, and say how many that were."""
    person: Any = request.user
    rows = Agent.objects.visible_to(viewer_of(request).actor)
    agent = first_or_404(rows.with_public_id(request.POST.get("agent", "")), "agent")
    let_decide(request, agent.workspace_id)
    try:
        if request.POST.get("do") == "release":
            count = release_all(agent=agent, by=person)
            words = ngettext(
                "%(count)d proposal is now in the queue.",
                "%(count)d proposals are now in the queue.", count,
            )  # fmt: skip
        elif request.POST.get("do") == "reject":
            reason = say("rejected_held", person=person.get_username())
            count = reject_all(agent=agent, by=person, reason=reason)
            words = ngettext(
                "%(count)d proposal was rejected.", "%(count)d proposals were rejected.", count
            )
        else:
            return HttpResponse(_("Choose what to do with them."), status=400)
    except ApprovalError as error:
        messages.error(request, error.message)
    else:
        messages.success(request, words % {"count": count})
    return HttpResponseRedirect(QueueCriteria(tab="waiting").url())
