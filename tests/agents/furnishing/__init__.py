"""A workspace with something of everything, in which every text holds one word.

Each module of this package furnishes a noun: its `furnish(world)` makes rows whose texts hold
`world.word`, and puts into `world.calls` arguments for each of its tools (the actions of a service
under `google_tasks_service.create`), as they would succeed in this world. The tests that hold for
every tool walk over these calls: an id in the arguments is exchanged for one of another world, for
one that does not exist and for a malformed one.

Every call must be runnable by itself; what it changes or removes is a row of its own.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from agents.contracts import REGISTRY, Fold
from agents.models import Agent
from inbox.actor import Actor
from inbox.models import Account, Inbox, Workspace
from inbox.operations.activities.understanding import ensure_defaults
from tests import factories

PROFILES = {"operations": "individual"}
PUBLIC_ID = re.compile(r"[a-z]{3}_[A-Za-z0-9]{10,64}")


@dataclass
class World:
    """A workspace, its agents, what it holds, and how each tool may be called in it."""

    word: str
    workspace: Workspace
    inbox: Inbox
    agents: list[Agent]
    actors: list[Actor]
    # Arguments by the name of the tool; the first actor is the caller.
    calls: dict[str, dict[str, Any]] = field(default_factory=dict)
    # What modules hand to each other: rows by a name such as `message`.
    rows: dict[str, Any] = field(default_factory=dict)

    @property
    def actor(self) -> Actor:
        """Who calls."""
        return self.actors[0]

    @property
    def account(self) -> Account:
        """The account that every agent of the world was granted."""
        return self.inbox.account


def furnish(slug: str, word: str) -> World:
    """Make a workspace with three agents and something of everything in it."""
    workspace = factories.make_workspace(slug)
    ensure_defaults(workspace)
    inbox = factories.make_inbox(workspace, f"office@{word}.example")
    names = ("Clerk", "Scout", "Scribe")
    agents = [factories.make_agent(workspace, name, (inbox,)) for name in names]
    actors = [factories.agent_actor(agent) for agent in agents]
    world = World(word, workspace, inbox, agents, actors)
    for name in sorted(module.name for module in iter_modules(__path__, f"{__name__}.")):
        import_module(name).furnish(world)
    return world


def two_worlds() -> dict[str, World]:
    """Make our workspace and another, of which nothing may be seen: its texts hold "canary"."""
    return {"ours": furnish("ours", "walnut"), "theirs": furnish("theirs", "canary")}


def one_world() -> dict[str, Any]:
    """Make our workspace, and an empty one that rows can be said to be of."""
    return {"ours": furnish("ours", "walnut"), "elsewhere": factories.make_workspace()}


def calls_of(world: World) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield every call of the registry as it is made from outside: (profile, name, arguments)."""
    for declared in REGISTRY:
        profile = PROFILES.get(declared.family, declared.family)
        if not isinstance(declared, Fold):
            yield profile, declared.name, world.calls[declared.name]
            continue
        for value, branch in declared.branches.items():
            own = {
                name: one for name, one in world.calls[branch.tool.name].items()
                if name not in branch.preset
            }  # fmt: skip
            inner = {declared.inner: own} if declared.inner else own
            yield profile, declared.name, {declared.discriminator: value, **inner}
