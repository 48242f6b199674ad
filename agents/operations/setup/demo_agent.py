"""The demo's scripted agent at work in the background: the calls that any agent would make.

It has no right of its own: each call goes through dispatch as the agent that a person made, with
what the agent's tokens allow, and leaves a receipt. `examples/demo_agent.py` makes the same
proposals over HTTP, under the same keys, so that neither makes one twice.
"""

import json
import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from agents.dispatching.actors import current_actor
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Agent, Memory
from agents.operations.setup.demo_names import ADDRESS
from agents.operations.setup.demo_office import OFFICE, begin_work
from inbox.actor import Actor
from inbox.background.jobs import Payload, enqueue
from inbox.models import Job, JobState

WORK = "demo.work"
WORK_LEASE = timedelta(minutes=5)
_POLICY = "default"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Answer:
    """A letter to answer: how to find it, whose it is, and the goal or the text of the answer."""

    query: str
    sender: str
    goal: str = ""
    text: str = ""


def start_work(agent: Agent) -> None:
    """Have the agent work through the demo's mail; once at a time."""
    with transaction.atomic():
        Agent.objects.select_for_update().get(pk=agent.pk)
        if is_at_work(agent):
            return
        # Urgent: somebody looks on.
        enqueue(WORK, {"agent_id": agent.pk}, workspace_id=agent.workspace_id, priority=1)


def is_at_work(agent: Agent) -> bool:
    """Return True from when it was asked to work until that is done."""
    under_way = Job.objects.filter(state__in=[JobState.QUEUED, JobState.RUNNING], kind=WORK)
    return under_way.filter(workspace_id=agent.workspace_id, payload__agent_id=agent.pk).exists()


def work(payload: Payload) -> None:
    """Look around, answer what wants an answer, and propose what a careless agent would."""
    agent = Agent.objects.get(pk=payload["agent_id"])
    actor = current_actor(agent)
    written = json.loads((OFFICE / "answers.json").read_text(encoding="utf-8"))
    answers = [_Answer(**each) for each in written["answers"]]
    careless = [_Answer(**each) for each in written["careless"]]
    try:
        call("look_around", {}, actor)
        call("list_threads", {"inbox_id": ADDRESS, "limit": 10}, actor)
        proposed = _proposed(actor)
        for answer in answers + careless:
            _propose(actor, answer, proposed)
        if not Memory.objects.visible_to(actor).exists():
            begin_work(agent=actor, now=timezone.now())
    except ToolError as error:
        # As for any agent: what it may not do is refused, and stands in its receipts.
        log.info("the demo's agent %s was refused: %s", agent.pk, error)


def _proposed(actor: Actor) -> set[str]:
    """Return the threads for which it has proposed an answer, whatever became of it."""
    approvals = call("list_approvals", {"limit": 200}, actor).result["approvals"]
    return {one["thread_id"] for one in approvals if "thread_id" in one}


def _propose(actor: Actor, answer: _Answer, proposed: set[str]) -> None:
    """Find the letter, write the answer and propose it; what the checks refuse is left."""
    found = _find(actor, answer)
    if found is None or found[0] in proposed:
        return
    thread, message = found
    kind = "demo" if answer.goal else "demo-careless"
    text = answer.text or _draft(actor, thread, answer.goal)
    key = f"{kind}-{message}"
    sent = {"thread_id": thread, "body_or_draft_id": text, "idempotency_key": key}
    try:
        call("send_reply", sent, actor)
    except ToolError as error:
        if error.code == "permission_denied":
            raise


def _draft(actor: Actor, thread: str, goal: str) -> str:
    asked = {"thread_id": thread, "policy_id": _POLICY, "goal": goal}
    return str(call("draft_reply_with_policy", asked, actor).result["draft"])


def _find(actor: Actor, answer: _Answer) -> tuple[str, str] | None:
    """Return the (thread, newest message) of a letter; None where there is none."""
    asked = {"inbox_id": ADDRESS, "query": answer.query, "top_k": 10}
    for hit in call("search_inbox", asked, actor).result["results"]:
        thread = call("get_thread", {"thread_id": hit["thread_id"]}, actor).result
        messages: list[dict[str, Any]] = thread["messages"]
        if any(one["from"]["email"] == answer.sender for one in messages):
            return hit["thread_id"], messages[-1]["id"]
    return None
