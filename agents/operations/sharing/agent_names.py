"""Agents by the names under which the mesh knows them, or by their ids."""

from collections.abc import Iterable, Sequence

from django.db.models import Q

from agents.errors import ToolError
from agents.models import Agent
from inbox import ids
from inbox.actor import Actor


def check_bound(actor: Actor, name: str, pointer: str) -> None:
    """Raise ToolError where a name is not that of the calling token's agent.

    `ACCESS_DENIED` for another agent of the workspace, `INVALID_AGENT` for a name that none has.
    """
    if actor.kind == "agent" and name == actor.name:
        return
    if Agent.objects.visible_to(actor).filter(name=name).exists():
        raise ToolError(
            "permission_denied", f"The token is not that of the agent {name!r}",
            {"pointer": pointer},
        )  # fmt: skip
    raise unknown_agent(name, pointer)


def find_agents(actor: Actor, names: Iterable[str]) -> dict[str, Agent]:
    """Return the agents of the workspace by those of the names or ids that they have.

    With one query. Names count as they are spelled; one that reads like an id is still a name.
    """
    wanted = set(names)
    if not wanted:
        return {}
    keys = [key for name in wanted for key in ids.decode(Agent.ID_PREFIX, name) or ()]
    rows = Agent.objects.visible_to(actor).filter(Q(name__in=wanted) | Q(pk__in=keys))
    found = list(rows)
    return {agent.public_id: agent for agent in found} | {agent.name: agent for agent in found}


def pick_agents(known: dict[str, Agent], names: Sequence[str], pointer: str) -> list[Agent]:
    """Return the agents of these names or ids, each once, in order.

    Raises ToolError INVALID_AGENT.
    """
    picked: dict[str, Agent] = {}
    for place, name in enumerate(names):
        if name not in known:
            raise unknown_agent(name, f"{pointer}/{place}")
        picked[known[name].name] = known[name]
    return list(picked.values())


def unknown_agent(name: str, pointer: str) -> ToolError:
    """Return the error for a name or id that no agent of the workspace has."""
    words = f"No agent of the workspace is called {name!r}"
    return ToolError("not_found", words, {"pointer": pointer}, mesh_code="INVALID_AGENT")
