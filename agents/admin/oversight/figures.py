"""What came in, what became of it, and how people decided, in a constant number of queries."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from math import ceil
from typing import Any, TypeAlias

from django.db.models import Case, Count, F, Func, IntegerField, Q, Value, When
from django.db.models.functions import Coalesce

from agents.admin.oversight.counting import by_keys, per_day
from agents.admin.oversight.scope import Scope
from agents.models import Agent, Approval, ApprovalState, Decision, Outcome, Receipt
from inbox.actor import Actor
from inbox.models import Activity, DraftVersion, Submission
from inbox.operations.activities.routing import CONFIDENT
from inbox.prepared import Prepared, padded
from inbox.submission_states import SubmissionState

Series: TypeAlias = dict[str, list[int]]

# What happened to what came in, by its classification: the tiers, and what could not be judged.
ROUTES = {1: "silent", 2: "noted", 3: "asked", 4: "surfaced", 0: "quarantined", 9: "other"}
ENDS = ("approved", "edited", "rejected", "returned", "canceled", "expired")
PERSONS = ("approved", "edited", "rejected", "returned")
# So many decisions, the newest, are timed, and so many edits read.
TIMED = 20_000
READ = 200


class Seconds(Func):
    """The whole seconds between two times, worked out by the database."""

    arity = 2
    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """SQLite counts days."""
        template = "CAST((julianday(%(expressions)s)) * 86400 + 0.5 AS INTEGER)"
        return self.as_sql(
            compiler, connection, template=template, arg_joiner=") - julianday(", **context
        )

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        """PostgreSQL subtracts times."""
        template = "EXTRACT(EPOCH FROM (%(expressions)s))::integer"
        return self.as_sql(compiler, connection, template=template, arg_joiner=" - ", **context)


@dataclass(frozen=True, slots=True)
class Edits:
    """How many messages people changed before they left, and how much of the words (median)."""

    count: int
    approved: int
    changed: float | None

    @property
    def share(self) -> float | None:
        """The share of the approved that were edited."""
        return self.count / self.approved if self.approved else None


@dataclass(slots=True)
class OfAgent:
    """The figures of one agent."""

    agent: Agent
    proposed: int = 0
    ends: Counter[str] = field(default_factory=Counter)
    seconds: list[int] = field(default_factory=list)
    sent: int = 0
    refused: int = 0
    failed: int = 0

    @property
    def decided(self) -> int:
        """How much of it people decided."""
        return sum(self.ends[end] for end in PERSONS)

    @property
    def median(self) -> int | None:
        """How long decisions took."""
        return quantile(self.seconds, 0.5)


@dataclass(frozen=True, slots=True)
class Figures:
    """Everything that the page shows; each series has one number a day."""

    came: Series
    ended: Series
    sent: Series
    troubles: Series
    seconds: list[int]
    edits: Edits
    agents: list[OfAgent]

    @property
    def decided(self) -> int:
        """How much people decided."""
        return sum(sum(self.ended[end]) for end in PERSONS)


def quantile(numbers: Sequence[int], share: float) -> int | None:
    """Return the smallest number that so great a share does not exceed; the nearest rank."""
    if not numbers:
        return None
    ordered = sorted(numbers)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def read_figures(scope: Scope, agents: Iterable[Agent]) -> Figures:
    """Count everything within the scope."""
    of = {agent.pk: OfAgent(agent) for agent in agents if _is_meant(agent, scope)}
    seconds = _timed(scope, of)
    ended = _ended(scope, of)
    sent, troubles = _sent(scope, of), _troubles(scope, of)
    _proposed(scope, of)
    shown = [each for each in of.values() if each.proposed or each.decided or each.failed]
    shown += [each for each in of.values() if each not in shown and (each.sent or each.refused)]
    shown.sort(key=lambda each: (-each.decided, -each.proposed, each.agent.name))
    return Figures(_came(scope), ended, sent, troubles, seconds, _edits(scope, ended), shown)


def _is_meant(agent: Agent, scope: Scope) -> bool:
    inside = agent.workspace_id in scope.actor.workspace_ids
    return inside and (scope.agent is None or scope.agent.pk == agent.pk)


def silent_route() -> Case:
    """Return where an activity went, by its classification."""
    return Case(
        When(confidence__lt=CONFIDENT, then=Value(0)),
        default=Coalesce(F("autonomy_tier"), Value(9)),
        output_field=IntegerField(),
    )


def _came_in(*, actor: Actor, accounts: tuple[int, ...]) -> list[Any]:
    rows = Activity.objects.visible_to(actor)
    if accounts:
        rows = rows.filter(message__inbox__account__in=accounts)
    return [by_keys(rows, "created_at", route=silent_route())]


_CAME = Prepared(_came_in)


def _came(scope: Scope) -> Series:
    counted = per_day(_CAME, 1, scope.days, actor=scope.actor, accounts=scope.accounts)
    series = _empty(ROUTES.values(), scope)
    for day, route, count in counted:
        series[ROUTES.get(route, "other")][day] += count
    return series


def _approvals(*, actor: Actor, agents: tuple[int, ...], accounts: tuple[int, ...]) -> Any:
    rows = Approval.objects.visible_to(actor).counted()
    if agents:
        rows = rows.filter(agent__in=agents)
    if accounts:
        rows = rows.filter(submission__account__in=accounts)
    return rows


def _decided(**given: Any) -> list[Any]:
    rows = _approvals(**given).filter(decided_at__isnull=False)
    return [by_keys(rows, "decided_at", agent=F("agent_id"), state=F("state"))]


def _expired(**given: Any) -> list[Any]:
    rows = _approvals(**given).filter(state=ApprovalState.EXPIRED)
    return [by_keys(rows, "expires_at", agent=F("agent_id"), state=F("state"))]


_DECIDED, _EXPIRED = Prepared(_decided), Prepared(_expired)


def _ended(scope: Scope, of: dict[int, OfAgent]) -> Series:
    """Count how proposals ended, from the index alone.

    What a person edited is voided with their decision; its edited version is approved with it.
    """
    given = {"actor": scope.actor, "agents": scope.agents, "accounts": scope.accounts}
    counted = [
        *per_day(_DECIDED, 2, scope.days, **given), *per_day(_EXPIRED, 2, scope.days, **given),
    ]  # fmt: skip
    series = _empty(ENDS, scope)
    for day, agent, state, count in counted:
        _add(series, of.get(agent), day, state, count)
    pairs = zip(series["approved"], series["edited"], strict=True)
    series["approved"] = [max(whole - edited, 0) for whole, edited in pairs]
    for each in of.values():
        each.ends["approved"] = max(each.ends["approved"] - each.ends["edited"], 0)
    return series


def _add(series: Series, agent: OfAgent | None, day: int, state: str, count: int) -> None:
    name = "edited" if state == ApprovalState.VOIDED else state
    if name in series:
        series[name][day] += count
        if agent is not None:
            agent.ends[name] += count


def _times(*, begins: datetime, ends: datetime, **given: Any) -> list[Any]:
    persons = (ApprovalState.APPROVED, ApprovalState.REJECTED, ApprovalState.RETURNED)
    rows = _approvals(**given).filter(
        decided_at__gte=begins, decided_at__lt=ends, state__in=persons
    )
    rows = rows.annotate(took=Seconds("decided_at", "created_at")).order_by("-decided_at")
    return [rows.values_list("agent_id", "took")[:TIMED]]


_TIMED = Prepared(_times)


def _timed(scope: Scope, of: dict[int, OfAgent]) -> list[int]:
    """Return how long the newest decisions took, in seconds."""
    found = list(_TIMED.rows(**scope.within))
    for agent, took in found:
        if agent in of:
            of[agent].seconds.append(max(took, 0))
    return [max(took, 0) for _, took in found]


def _sent_by(has_agent: bool, *, actor: Actor, accounts: tuple[int, ...], by: str) -> list[Any]:
    rows = Submission.objects.visible_to(actor).filter(state=SubmissionState.SENT)
    if accounts:
        rows = rows.filter(account__in=accounts)
    if has_agent:
        rows = rows.filter(proposed_by=by)
    return [by_keys(rows, "finished_at", by=F("proposed_by"))]


_SENT = Prepared(_sent_by)


def _sent(scope: Scope, of: dict[int, OfAgent]) -> Series:
    counted = per_day(
        _SENT, 1, scope.days, bool(scope.agent),
        actor=scope.actor, accounts=scope.accounts, by=scope.agent_key,
    )  # fmt: skip
    series = _empty(("sent",), scope)
    for day, by, count in counted:
        series["sent"][day] += count
        if (agent := _agent_key(by)) in of:
            of[agent].sent += count
    return series


def _troubles_of(has_agent: bool, *, reader: Actor, by: str) -> list[Any]:
    rows = Receipt.objects.visible_to(reader).filter(outcome=Outcome.ERROR)
    if has_agent:
        rows = rows.filter(actor=by)
    return [by_keys(rows, "opened_at", actor=F("actor"), decision=F("decision"))]


_TROUBLES = Prepared(_troubles_of)


def _troubles(scope: Scope, of: dict[int, OfAgent]) -> Series:
    """Count what was refused and what failed; receipts do not say of which account they are."""
    counted = per_day(
        _TROUBLES, 2, scope.days, bool(scope.agent), reader=scope.actor, by=scope.agent_key
    )
    series = _empty(("refused", "failed"), scope)
    for day, actor, decision, count in counted:
        name = "refused" if decision == Decision.DENY else "failed"
        series[name][day] += count
        if (agent := _agent_key(actor)) in of:
            setattr(of[agent], name, getattr(of[agent], name) + count)
    return series


def _made(*, begins: datetime, ends: datetime, **given: Any) -> list[Any]:
    rows = _approvals(**given).filter(created_at__gte=begins, created_at__lt=ends)
    again = Q(state__in=(ApprovalState.VOIDED, ApprovalState.CANCELED), replaced_by__isnull=False)
    counts = {"made": Count("pk"), "again": Count("pk", filter=again)}
    return [rows.order_by().values_list("agent_id").annotate(**counts)]


_MADE = Prepared(_made)


def _proposed(scope: Scope, of: dict[int, OfAgent]) -> None:
    """Count what agents proposed; what took the place of an edited or undone one is no other."""
    for agent, made, replaced in _MADE.rows(**scope.within):
        if agent in of:
            of[agent].proposed = made - replaced


def _edited(*, begins: datetime, ends: datetime, **given: Any) -> list[Any]:
    rows = _approvals(**given).filter(
        decided_at__gte=begins, decided_at__lt=ends, state=ApprovalState.VOIDED
    )
    newest = rows.order_by("-decided_at").values_list(
        "submission__draft_id", "replaced_by__submission__draft_version"
    )
    return [newest[:READ]]


def _versions(*, drafts: tuple[int, ...]) -> list[Any]:
    read = DraftVersion.objects.filter(draft_id__in=drafts).order_by("-pk")
    return [read.values_list("draft_id", "version", "author", "body")[: 10 * READ]]


_EDITED, _VERSIONS = Prepared(_edited), Prepared(_versions)


def _edits(scope: Scope, ended: Series) -> Edits:
    """Compare the newest edited messages with what their agents wrote."""
    count = sum(ended["edited"])
    final = {draft: last for draft, last in _EDITED.rows(**scope.within) if last}
    versions: dict[int, dict[int, tuple[str, str]]] = defaultdict(dict)
    columns = _VERSIONS.rows(drafts=padded(list(final))) if final else ()
    for draft, version, author, body in columns:
        versions[draft][version] = (author, body)
    shares = [_share_changed(versions[draft], last) for draft, last in final.items()]
    median = quantile([round(share * 1000) for share in shares if share is not None], 0.5)
    approved = count + sum(ended["approved"])
    return Edits(count, approved, None if median is None else median / 1000)


def _share_changed(versions: dict[int, tuple[str, str]], last: int) -> float | None:
    """Return the share of words that differ between the agent's last version and this one."""
    earlier = [
        number
        for number, (author, _) in versions.items()
        if number < last and author.startswith("agent:")
    ]
    if last not in versions or not earlier:
        return None
    old, new = (Counter(versions[number][1].split()) for number in (max(earlier), last))
    longest = max(old.total(), new.total())
    return 1 - (old & new).total() / longest if longest else 0.0


def _empty(names: Iterable[str], scope: Scope) -> Series:
    return {name: [0] * len(scope.days) for name in names}


def _agent_key(actor: str) -> int:
    kind, _, number = actor.partition(":")
    return int(number) if kind == "agent" and number.isdigit() else 0
