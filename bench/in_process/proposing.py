"""What it costs to propose a message, on what `furnish` wrote, and to check it afterwards."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from agents.approval.due import check_due
from agents.dispatching.dispatch import call
from agents.models import Agent, Approval
from agents.operations.agents import known_scopes
from bench.in_process.furnish import READER
from bench.results import Result, hand_over
from inbox.actor import Actor
from inbox.models import Account, Direction, Message

PROPOSALS, WARM_UP = 200, 10
# What an agent looks at before it proposes.
_LISTED = 50
_NAMES = {"propose": "a proposal", "check": "the check of a proposal"}
# So many times what it costs to read one message.
_MOST = {"propose": 6, "check": 75}
_BODY = (
    "Dear Ms Walker,\n\nthank you for your message. Invoice INV-{number} over 348.20 EUR was paid "
    "on 12 May 2026, and the remaining 12 chairs of order PO-{number} leave us on Thursday at "
    "10:30. With 19 % VAT that makes 414.36 EUR. You reach me at +49 30 5550{number}, and find the "
    "list of prices at www.bench.example/prices.\n\nBest regards\nBench"
)


def measure() -> list[Result]:
    """Propose, read one message and check what was proposed by turns; seconds of the processor."""
    agent = Agent.objects.get(name=READER)
    actor = _actor(agent)
    account = Account.objects.get()
    rows = Message.objects.filter(direction=Direction.INBOUND).order_by("-received_at")
    keys = [row.public_id for row in rows[: PROPOSALS + WARM_UP]]
    call("email_list", {"account_id": account.public_id, "limit": _LISTED}, actor)
    times: dict[str, list[float]] = {"read": [], "propose": [], "check": []}
    for number, key in enumerate(keys):
        times["read"].append(
            _time(
                partial(
                    call, "email_get", {"account_id": account.public_id, "email_id": key}, actor
                )
            )
        )
        times["propose"].append(_time(_propose(actor, account.public_id, number, key)))
        waiting = Approval.objects.filter(checks_due=True)
        times["check"].append(_time(partial(check_due, waiting)))
    kept = {name: sorted(found[WARM_UP:]) for name, found in times.items()}
    return [_compare(kept, name, percent) for name in ("propose", "check") for percent in (50, 95)]


def _compare(times: Mapping[str, Sequence[float]], name: str, percent: int) -> Result:
    """Compare with reading one message, at the same share of the calls."""
    ours, anchor = (times[it][len(times[it]) * percent // 100] for it in (name, "read"))
    ratio, most = ours / anchor, _MOST[name]
    return Result(
        f"{_NAMES[name]}, processor, p{percent}", f"{ours * 1000:.1f} ms",
        f"{anchor * 1000:.1f} ms (email_get)", f"{ratio:.1f}", f"≤ {most}", ratio <= most,
    )  # fmt: skip


def _actor(agent: Agent) -> Actor:
    return Actor(
        "agent", agent.pk, agent.name, (agent.workspace_id,), scopes=frozenset(known_scopes()),
        account_ids=frozenset(agent.grants.values_list("account_id", flat=True)),
    )  # fmt: skip


def _propose(actor: Actor, account: str, number: int, answered: str) -> Callable[[], Any]:
    """Return a call: every second one answers a message, the others go to somebody new."""
    body = _BODY.format(number=20_000 + number)
    if number % 2:
        given = {"account_id": account, "email_id": answered, "body": body, "confirm": True}
        return lambda: call("email_reply", given, actor)
    given = {
        "account_id": account, "to": [f"new{number}@elsewhere.example"], "subject": f"No. {number}",
        "body": body, "confirm": True,
    }  # fmt: skip
    return lambda: call("email_send", given, actor)


def _time(done: Callable[[], Any]) -> float:
    start = time.process_time()
    done()
    return time.process_time() - start


if __name__ == "__main__":
    hand_over(measure())
