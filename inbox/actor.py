"""Who acts. Every read of user data starts with `visible_to(actor)`."""

from dataclasses import dataclass, replace
from typing import Literal


@dataclass(frozen=True, slots=True)
class Actor:
    """A person, an agent or the system itself, with what of the data it may see.

    `workspace_ids` are the workspaces it belongs to (an agent: exactly one). `account_ids` are the
    accounts it was granted; None means every account of those workspaces. `scopes` are those of the
    token in use, like `inbox:read`, and `tools` the only ones it is for (empty: all that its scopes
    open); a person acts by role instead and has neither.
    """

    kind: Literal["person", "agent", "system"]
    id: int
    name: str
    workspace_ids: tuple[int, ...]
    account_ids: frozenset[int] | None = None
    scopes: frozenset[str] = frozenset()
    tools: frozenset[str] = frozenset()

    @property
    def workspace_id(self) -> int:
        """The workspace in which an agent or the system acts."""
        return self.workspace_ids[0]

    def within(self, workspace_id: int) -> "Actor":
        """Return the actor as it acts in this one of its workspaces; in another it sees nothing."""
        is_theirs = workspace_id in self.workspace_ids
        return replace(self, workspace_ids=(workspace_id,) if is_theirs else ())

    @property
    def key(self) -> str:
        """How rows name the actor: `agent:7`, `person:3`, `system:0`."""
        return f"{self.kind}:{self.id}"


def operator_actor(workspace_id: int) -> Actor:
    """Return the person at the server's shell, who runs a command on this workspace."""
    return Actor(kind="person", id=0, name="Operator", workspace_ids=(workspace_id,))


def system_actor(workspace_id: int, name: str) -> Actor:
    """Return the actor for work that Chancery does of itself, such as classifying (`name`)."""
    return Actor(kind="system", id=0, name=name, workspace_ids=(workspace_id,))


def reader(workspace_ids: tuple[int, ...]) -> Actor:
    """Return a person who sees all of these workspaces: whom kept queries are put together for."""
    return Actor(kind="person", id=0, name="", workspace_ids=workspace_ids)
