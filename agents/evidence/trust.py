"""What agents are told of texts: whose words, whether authenticated, what is odd or hidden."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from agents.contracts.trust import TrustShape
from agents.evidence.exposures import trace
from agents.evidence.known import know
from agents.evidence.origins import Traced, lowest, message_origin
from agents.evidence.refs import Ref
from agents.models import Agent, Origin
from inbox.actor import Actor, system_actor
from inbox.html.marks import hidden_passages
from inbox.models import Membership, Message
from inbox.prepared import Prepared, padded

# An answer tells of so many texts, the least trusted first, and of what so many messages hide.
MOST_TOLD = 200
_MOST_HIDING = 20
# So many pairs of thread and sender are looked at.
_MOST_SENDERS = 2000
# Of what is odd about mail, what bears on trusting it.
_WARNINGS = frozenset(
    {
        "alternatives_differ", "bidi_in_name", "deceptive_name", "hidden_text",
        "invisible_characters", "invisible_in_name", "lookalike_domain", "lookalike_sender",
        "many_from", "reply_to_differs", "sender_differs",
    }
)  # fmt: skip


def read_trust(workspace_id: int, refs: Iterable[Ref]) -> dict[Ref, TrustShape]:
    """Return what is told of the texts of a workspace's rows, of 200 at most.

    In a few queries, however many rows there are.
    """
    asked = list(dict.fromkeys(refs))
    actor = system_actor(workspace_id, "trust")
    found = _threads(actor, [ref for ref in asked if ref.kind == "thr"])
    found |= own_or_lowest(trace(workspace_id, [ref for ref in asked if ref.kind != "thr"]))
    told = sorted(found.values(), key=lambda one: one.origin != Origin.STRANGER)[:MOST_TOLD]
    return dict(zip((one.ref for one in told), trust_shapes(actor, told), strict=True))


def as_told(trust: TrustShape) -> dict[str, Any]:
    """Return it as JSON has it, without what is not there."""
    return trust.model_dump(mode="json", exclude_none=True)


def own_or_lowest(traced: Sequence[Traced]) -> dict[Ref, Traced]:
    """Return one origin for each row: its own or, of what only holds messages, their lowest."""
    found = {one.ref: one for one in traced if one.via is None}
    held: dict[Ref, list[Traced]] = {}
    for one in traced:
        if one.via is not None and one.via not in found:
            held.setdefault(one.via, []).append(one)
    return found | {ref: _lowest_of(ref, ones) for ref, ones in held.items()}


def _lowest_of(ref: Ref, held: Sequence[Traced]) -> Traced:
    origin = lowest(one.origin for one in held)
    return next(one for one in held if one.origin == origin)._replace(ref=ref, via=None)


def _threads(actor: Actor, refs: Sequence[Ref]) -> dict[Ref, Traced]:
    """Return the lowest origins of threads, by who wrote in them; without reading messages."""
    if not refs:
        return {}
    senders = list(_SENDERS.rows(actor=actor, threads=padded(sorted(it.key for it in refs))))
    known = know(actor, actor.workspace_id, {one[2] for one in senders})
    held: dict[Ref, list[Traced]] = {}
    for key, direction, email, authentication in senders:
        ref = Ref("thr", key)
        origin = message_origin(direction, email, authentication, known)
        held.setdefault(ref, []).append(Traced(ref, origin, email.lower()))
    return {ref: _lowest_of(ref, ones) for ref, ones in held.items()}


def _senders(*, actor: Actor, threads: tuple[int, ...]) -> Sequence[QuerySet[Any]]:
    rows = Message.objects.visible_to(actor).kept().filter(thread_id__in=threads)
    columns = ("thread_id", "direction", "from_email", "authentication")
    return [rows.order_by().values_list(*columns).distinct()[:_MOST_SENDERS]]


_SENDERS = Prepared(_senders)


def trust_shapes(actor: Actor, traced: Sequence[Traced]) -> list[TrustShape]:
    """Return what is told of each; the actor is that of a workspace."""
    hidden = _hidden(actor, traced)
    names = name_authors(actor, {one.author for one in traced})
    return [
        TrustShape(
            origin=str(one.origin),  # type: ignore[arg-type]
            author=names.get(one.author, one.author) or None,
            authenticated=one.authentication or None,  # type: ignore[arg-type]
            warnings=sorted(_WARNINGS.intersection(one.anomalies)) or None,
            hidden=hidden.get(one.ref),
        )
        for one in traced
    ]  # fmt: skip


def _hidden(actor: Actor, traced: Sequence[Traced]) -> Mapping[Ref, list[str]]:
    """Return what messages hide, of the first that hide anything."""
    hiding = {
        one.ref.key: one.ref
        for one in traced
        if "hidden_text" in one.anomalies and one.ref.kind == "msg"
    }
    if not hiding:
        return {}
    keys = list(hiding)[:_MOST_HIDING]
    pages = Message.objects.visible_to(actor).filter(pk__in=keys).values_list("pk", "html")
    return {hiding[key]: list(hidden_passages(html)) for key, html in pages}


def name_authors(actor: Actor, authors: Iterable[str]) -> dict[str, str]:
    """Return agents and members by `Actor.key`, as `agent:Clerk` and `person:rhea`.

    In a query for each of the two kinds there are.
    """
    keys: dict[str, set[int]] = {}
    for kind, _, key in (one.partition(":") for one in authors):
        if key.isdecimal():
            keys.setdefault(kind, set()).add(int(key))
    if not keys:
        return {}
    agents = Agent.objects.visible_to(actor).filter(pk__in=keys.get("agent", ()))
    members = Membership.objects.visible_to(actor).filter(user__in=keys.get("person", ()))
    named = {
        "agent": agents.values_list("pk", "name"),
        "person": members.values_list("user", "user__username"),
    }
    return {
        f"{kind}:{key}": f"{kind}:{name}"
        for kind, rows in named.items() if kind in keys for key, name in rows
    }  # fmt: skip
