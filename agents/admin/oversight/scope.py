"""What the figures are about: so many days in the reader's zone, and of whom."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any
from urllib.parse import urlencode

from agents.models import Agent
from inbox.actor import Actor
from inbox.models import Account, Workspace
from inbox.prepared import Prepared
from inbox.viewer import Viewer

SPANS = (7, 30, 90)
DEFAULT_SPAN = 30
# As many accounts and agents are offered to choose from.
OFFERED = 200


@dataclass(frozen=True, slots=True)
class Day:
    """A day of the reader's, and when it begins and ends; some have 23 or 25 hours."""

    date: date
    begins: datetime
    ends: datetime


@dataclass(frozen=True, slots=True)
class Choices:
    """What a reader may choose from."""

    workspaces: list[Workspace]
    accounts: list[Account]
    agents: list[Agent]


@dataclass(frozen=True, slots=True)
class Scope:
    """The days, who looks (within the workspace that was chosen), and the chosen rows."""

    actor: Actor
    span: int
    days: tuple[Day, ...]
    workspace: Workspace | None = None
    account: Account | None = None
    agent: Agent | None = None

    @property
    def begins(self) -> datetime:
        """When the first day begins."""
        return self.days[0].begins

    @property
    def ends(self) -> datetime:
        """When the last day ends."""
        return self.days[-1].ends

    @property
    def agents(self) -> tuple[int, ...]:
        """The key of the chosen agent, if one is."""
        return (self.agent.pk,) if self.agent else ()

    @property
    def agent_key(self) -> str:
        """How rows name the chosen agent: `agent:7`."""
        return f"agent:{self.agent.pk}" if self.agent else ""

    @property
    def accounts(self) -> tuple[int, ...]:
        """The key of the chosen account, if one is."""
        return (self.account.pk,) if self.account else ()

    @property
    def within(self) -> dict[str, Any]:
        """The values that queries of the whole time are run with."""
        return {
            "actor": self.actor, "begins": self.begins, "ends": self.ends,
            "agents": self.agents, "accounts": self.accounts,
        }  # fmt: skip

    def query(self, **changed: Any) -> str:
        """Return the address's query for this, with some of it changed."""
        chosen: dict[str, Any] = {"days": self.span}
        rows = (("workspace", self.workspace), ("account", self.account), ("agent", self.agent))
        chosen |= {name: row.public_id for name, row in rows if row is not None}
        return urlencode({**chosen, **changed})


def days_until(now: datetime, zone: tzinfo, span: int) -> tuple[Day, ...]:
    """Return the last so many days in this zone, today with what is to come of it."""
    today = now.astimezone(zone).date()
    return tuple(_day(today - timedelta(days=back), zone) for back in reversed(range(span)))


def _day(day: date, zone: tzinfo) -> Day:
    return Day(day, _midnight(day, zone), _midnight(day + timedelta(days=1), zone))


def _midnight(day: date, zone: tzinfo) -> datetime:
    return datetime.combine(day, time(0), zone)


def _choice(model: Any, name: str, most: int | None = None) -> Prepared:
    return Prepared(lambda *, actor: [model.objects.visible_to(actor).order_by(name, "pk")[:most]])


_CHOICES = (
    _choice(Workspace, "name"), _choice(Account, "address", OFFERED),
    _choice(Agent, "name", OFFERED),
)  # fmt: skip


def read_choices(viewer: Viewer) -> Choices:
    """Return what this reader may choose from."""
    return Choices(*(list(rows.rows(actor=viewer.actor)) for rows in _CHOICES))


def read_scope(
    viewer: Viewer, wanted: Mapping[str, str], choices: Choices, now: datetime, zone: tzinfo
) -> Scope:
    """Return what an address asks for; what it names and nobody may see counts as not named."""
    span = wanted.get("days", "")
    days = int(span) if span in {str(each) for each in SPANS} else DEFAULT_SPAN
    workspace = _named(choices.workspaces, wanted.get("workspace", ""))
    actor = viewer.actor.within(workspace.pk) if workspace else viewer.actor
    account = _named(choices.accounts, wanted.get("account", ""))
    agent = _named(choices.agents, wanted.get("agent", ""))
    inside = actor.workspace_ids
    return Scope(
        actor, days, days_until(now, zone, days), workspace,
        account if account and account.workspace_id in inside else None,
        agent if agent and agent.workspace_id in inside else None,
    )  # fmt: skip


def _named(rows: list[Any], public_id: str) -> Any:
    return next((row for row in rows if row.public_id == public_id), None)
