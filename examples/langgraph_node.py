"""A LangGraph graph whose sends wait for a person, through Chancery's approvals.

    pip install langgraph
    CHANCERY_TOKEN=chy_… python3 examples/langgraph_node.py

The graph proposes a reply, interrupts with what would leave, as Chancery read it from the sealed
bytes, and goes on once a person has decided. The agent's token decides nothing: with
`--answer accept` (or `ignore`, `response:TEXT`, `edit:TEXT`) this script signs in as the person
(CHANCERY_USER, CHANCERY_PASSWORD) and answers; without, it waits until somebody has decided on
Chancery's page.
"""

import json
import os
import sys
import time
import uuid
from typing import Any, TypedDict

from chancery_api import Chancery, Person, read_options, say, short
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from stand_in import Call, answer_the_newest, next_turn

SECONDS_TO_WAIT = 600


class State(TypedDict, total=False):
    """What the graph knows: the answers of the tools so far, and what became of the proposal."""

    run: str
    results: list[Any]
    said: str
    approval_id: str
    outcome: str


class Nodes:
    """The graph's nodes, for an agent with its token."""

    def __init__(self, chancery: Chancery) -> None:
        self._chancery = chancery

    def act(self, state: State) -> State:
        """Do what the (stand-in for a) model wants next: call a tool, or say its last words."""
        results = state.get("results", [])
        turn = next_turn(answer_the_newest, results)
        if not isinstance(turn, Call):
            return {"said": turn}
        # The step is the key: a graph that goes on from a checkpoint proposes nothing twice.
        arguments = json.dumps(turn.arguments)
        key = f"{state['run']}-{len(results)}"
        answer = self._chancery.call(turn.name, arguments, key)
        say(f"   {turn.name} {short(arguments)}")
        found: State = {"results": [*results, answer.value]}
        approval = answer.value.get("approval_id") if isinstance(answer.value, dict) else None
        if approval and turn.name == "reply":
            found["approval_id"] = approval
        return found

    def ask(self, state: State) -> State:
        """Stop here until a person has answered what Chancery says would leave."""
        path = f"v1/approvals/{state['approval_id']}/interrupt"
        answers = interrupt([self._chancery.get(path).value])
        return {"outcome": str(answers[0]["type"])}

    def settle(self, state: State) -> State:
        """Ask Chancery what was decided: its word counts, not that of the answer."""
        approval = read_approval(self._chancery, state["approval_id"])
        if "replaced_by" in approval and approval["state"] != "returned":
            # An edit has made another of it, which is what leaves.
            approval = read_approval(self._chancery, approval["replaced_by"])
        note = approval.get("feedback") or approval.get("note", "")
        return {"outcome": f"{approval['state']}{f': {note}' if note else ''}"}


def build(chancery: Chancery) -> Any:
    """Return the graph: act until something is proposed, ask, settle."""
    nodes = Nodes(chancery)
    graph = StateGraph(State)
    graph.add_node("act", nodes.act)
    graph.add_node("ask", nodes.ask)
    graph.add_node("settle", nodes.settle)
    graph.add_edge(START, "act")
    graph.add_conditional_edges("act", _after_act, ["act", "ask", END])
    graph.add_edge("ask", "settle")
    graph.add_edge("settle", END)
    return graph.compile(checkpointer=InMemorySaver())


def _after_act(state: State) -> str:
    if state.get("approval_id"):
        return "ask"
    return END if "said" in state else "act"


def read_approval(chancery: Chancery, approval_id: str) -> dict[str, Any]:
    """Return how an approval stands."""
    arguments = json.dumps({"approval_id": approval_id})
    approval: dict[str, Any] = chancery.call("get_approval", arguments, key="").value
    return approval


def read_answer(text: str, request: dict[str, Any]) -> dict[str, Any]:
    """Return `accept`, `ignore`, `response:TEXT` or `edit:TEXT` as a HumanResponse."""
    kind, _, words = text.partition(":")
    if kind == "edit":
        action = request["action_request"]
        return {"type": kind, "args": {**action, "args": {**action["args"], "body": words}}}
    return {"type": kind, "args": words or None}


def wait_for_a_person(chancery: Chancery, approval_id: str) -> dict[str, Any]:
    """Wait until somebody has decided on the page; return their answer in LangGraph's words."""
    kinds = {"approved": "accept", "voided": "edit", "returned": "response"}
    for _ in range(SECONDS_TO_WAIT):
        approval = read_approval(chancery, approval_id)
        if approval["state"] != "waiting":
            return {"type": kinds.get(approval["state"], "ignore"), "args": approval.get("note")}
        time.sleep(1)
    raise TimeoutError("nobody decided")


def main() -> int:
    """Run the graph to its interrupt, have it answered, and run it to its end."""
    parser = read_options("A LangGraph graph whose sends wait for a person.")
    parser.add_argument("--answer", default="", help="accept, ignore, response:TEXT or edit:TEXT")
    parser.add_argument("--user", default=os.environ.get("CHANCERY_USER", "reviewer"))
    parser.add_argument("--password", default=os.environ.get("CHANCERY_PASSWORD", ""))
    given = parser.parse_args()
    if not given.token:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN")
    chancery = Chancery(given.url, given.token)
    graph, thread = build(chancery), {"configurable": {"thread_id": "1"}}
    state = graph.invoke({"run": uuid.uuid4().hex}, thread)
    if "__interrupt__" not in state:
        say(state.get("said", "Nothing was proposed."))
        return 1
    (request,) = state["__interrupt__"][0].value
    say(f"Interrupted: {request['description']}")
    say(short(json.dumps(request["action_request"], ensure_ascii=False), 300))
    approval = state["approval_id"]
    if given.answer:
        answer = read_answer(given.answer, request)
        Person(given.url, given.user, given.password).answer(approval, [answer])
    else:
        answer = wait_for_a_person(chancery, approval)
    state = graph.invoke(Command(resume=[answer]), thread)
    say(f"It is {state['outcome']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
