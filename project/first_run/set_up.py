"""Which steps are done, as rows tell: nothing is kept of its own.

So setting up may be left, gone back in and taken up again anywhere, by whoever owns the workspace.
"""

from dataclasses import dataclass

from allauth.mfa.utils import is_mfa_enabled
from django.http import HttpRequest

from agents.models import Agent, NoticeSettings
from agents.operations.first_call import look_for_call
from agents.operations.setup.demo_names import is_demo
from inbox.models import Account, Workspace
from inbox.viewer import viewer_of


@dataclass(frozen=True, slots=True)
class SetUp:
    """How far a person is: the newest workspace that they own, its newest agent, what is done."""

    workspace: Workspace | None
    agent: Agent | None
    done: frozenset[str]

    @property
    def is_demo(self) -> bool:
        """Whether they look at the demo."""
        return is_demo(self.workspace)


def read_set_up(request: HttpRequest) -> SetUp:
    """Return how far the person of a request is."""
    viewer = viewer_of(request)
    # The newest: the demo may come first, and one's own after it.
    managed = viewer.managed[-1:]
    workspace = Workspace.objects.filter(pk__in=managed).first()
    if workspace is None:
        return SetUp(None, None, frozenset({"owner"}))
    actor = viewer.actor.within(workspace.pk)
    agents = Agent.objects.visible_to(actor).select_related("workspace")
    agent = agents.order_by("-pk").first()
    done = {
        "owner": True,
        "workspace": True,
        "mail": Account.objects.visible_to(actor).exists(),
        "agent": agent is not None,
        "call": agent is not None and look_for_call(actor, agent).receipt is not None,
        "notices": NoticeSettings.objects.filter(user_id=actor.id).exists(),
        "second": is_mfa_enabled(request.user),
    }
    return SetUp(workspace, agent, frozenset(key for key, is_done in done.items() if is_done))
