"""What it costs to propose a message, on what `furnish` wrote, and what of it the checks cost."""

import time
from collections.abc import Callable
from typing import Any

from agents.dispatching.dispatch import call
from agents.models import Agent
from agents.operations.agents import known_scopes
from bench.in_process.furnish import READER
from inbox.actor import Actor
from inbox.models import Account, Direction, Message

PROPOSALS, WARM_UP = 200, 10
# What an agent looks at before it proposes.
_LISTED = 50
_BODY = (
    "Dear Ms Walker,\n\nthank you for your message. Invoice INV-{number} over 348.20 EUR was paid "
    "on 12 May 2026, and the remaining 12 chairs of order PO-{number} leave us on Thursday at "
    "10:30. With 19 % VAT that makes 414.36 EUR. You reach me at +49 30 5550{number}, and find the "
    "list of prices at www.bench.example/prices.\n\nBest regards\nBench"
)


def main() -> None:
    """Print, tab by tab, the seconds of processor that each proposal took."""
    agent = Agent.objects.get(name=READER)
    actor = _actor(agent)
    account = Account.objects.get()
    rows = Message.objects.filter(direction=Direction.INBOUND).order_by("-received_at")
    keys = [row.public_id for row in rows[: PROPOSALS + WARM_UP]]
    call("email_list", {"account_id": account.public_id, "limit": _LISTED}, actor)
    times = [_time(_propose(actor, account.public_id, n, key)) for n, key in enumerate(keys)]
    print("\t".join(f"{one:.6f}" for one in times[WARM_UP:]))


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
    main()
