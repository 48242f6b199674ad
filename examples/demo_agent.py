"""A scripted agent that works through the demo's mail with nothing but the public API.

    CHANCERY_TOKEN=chy_… python3 examples/demo_agent.py

It lists, searches, classifies, sorts and extracts, drafts replies to five threads and proposes to
send them. What is to leave then waits for a person at http://127.0.0.1:8000. Run it again after
deciding: it proposes nothing twice, and takes up what was sent back with feedback.

Only Python's standard library is used, so that it runs anywhere.
"""

import argparse
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Task:
    """A thread that wants an answer: how to find it, and what the answer should achieve."""

    query: str
    sender: str
    goal: str


# The careless ones are what a bad agent might write; the checks name what is wrong with it.
_WRITTEN = json.loads((Path(__file__).parent / "demo_office" / "answers.json").read_text("utf-8"))
TASKS = tuple(Task(one["query"], one["sender"], one["goal"]) for one in _WRITTEN["answers"])
CARELESS = tuple(Task(one["query"], one["sender"], one["text"]) for one in _WRITTEN["careless"])


class RefusedError(Exception):
    """The API said no: `code` and `message` of its error, with the details."""

    def __init__(self, status: int, error: dict[str, Any]) -> None:
        super().__init__(f"{status} {error['code']}: {error['message']}")
        self.code = error["code"]
        self.details = error.get("details", {})


class Chancery:
    """The API, over HTTP, with a token."""

    def __init__(self, url: str, token: str) -> None:
        self._url = url.rstrip("/")
        self._token = token

    def get(self, path: str, **query: str) -> Any:
        """Read a resource."""
        asked = f"?{urllib.parse.urlencode(query)}" if query else ""
        return self._ask(urllib.request.Request(f"{self._url}/api/{path}{asked}"))

    def call(self, tool: str, *, key: str = "", **arguments: Any) -> Any:
        """Call a tool; with a key, the same call again has the effect once."""
        request = urllib.request.Request(
            f"{self._url}/api/tools/{tool}",
            data=json.dumps(arguments).encode(),
            headers={"Content-Type": "application/json"},
        )
        if key:
            request.add_header("Idempotency-Key", key)
        return self._ask(request)

    def _ask(self, request: urllib.request.Request) -> Any:
        request.add_header("Authorization", f"Bearer {self._token}")
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise RefusedError(error.code, json.load(error)) from error


def say(text: str = "") -> None:
    """Print a line of the log."""
    print(text, flush=True)


def heading(text: str) -> None:
    """Print a heading."""
    say(f"\n== {text}")


def short(text: str, size: int = 72) -> str:
    """Return a text as one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= size else f"{line[: size - 1]}…"


def look_around(api: Chancery) -> str:
    """Say who we are; return the id of the first inbox."""
    me = api.get("v1/me")
    heading(f"I am {me['name']}; a person approves what I send")
    inboxes = api.get("v1/inboxes")["inboxes"]
    for inbox in inboxes:
        say(f"   {inbox['id']}  {inbox['address']}  {inbox['status']}")
    return str(inboxes[0]["id"])


def list_threads(api: Chancery, inbox: str) -> None:
    """List every thread, a page at a time."""
    heading("The threads, ten at a time")
    arguments: dict[str, Any] = {"inbox_id": inbox, "limit": 10}
    pages = count = 0
    while True:
        page = api.call("list_threads", **arguments)
        pages += 1
        for thread in page["threads"]:
            count += 1
            if pages == 1:
                say(f"   {thread['updated_at'][:10]}  {short(thread['subject'])}")
        if "next_cursor" not in page:
            break
        arguments["cursor"] = page["next_cursor"]
    say(f"   … {count} threads on {pages} pages")


def search(api: Chancery, inbox: str) -> None:
    """Search by words, numbers and in other scripts."""
    heading("Searching")
    for query in ("refund card", "LP-5567", "漢字", "Finanzamt", "الاشتراك"):
        results = api.call("search_inbox", inbox_id=inbox, query=query, top_k=3)["results"]
        best = short(results[0].get("snippet", ""), 56) if results else "nothing"
        say(f"   {query!r}: {len(results)} hits; {best}")


def classify(api: Chancery) -> None:
    """Say what presses most, and why."""
    heading("What presses most")
    for status in ("surfaced", "needs_review", "quarantined"):
        found = api.call("query_activities", status=status, limit=50)
        say(f"   {status}: {found['count']}")
        for activity in found["activities"][:3]:
            again = api.call(
                "classify_activity",
                activity_id=activity["id"],
                title=activity["title"],
                content=activity["content"],
                sender_email=activity["sender"],
            )
            kind = f"{again['activity_type']}, {again['urgency']}, tier {again['autonomy_tier']}"
            say(f"     {short(activity['title'], 52)}: {kind}")
            say(f"       because {short(again['reasoning'], 90)}")


def triage(api: Chancery, inbox: str) -> None:
    """Sort the newest messages by the workspace's first taxonomy."""
    heading("Triage")
    taxonomy = api.get("v1/taxonomies")["taxonomies"][0]
    page = api.call("list_threads", inbox_id=inbox, limit=8)
    for thread in page["threads"]:
        message = newest_inbound(api, thread["id"])
        if message is None:
            continue
        found = api.call("triage_message", message_id=message["id"], taxonomy_id=taxonomy["id"])
        route = found.get("suggested_route", "-")
        say(
            f"   {short(thread['subject'], 48):50}{found['intent']}, {found['urgency']}, "
            f"{found['sentiment']} → {route}"
        )


def extract(api: Chancery, inbox: str) -> None:
    """Read the invoices into the schema that is called so."""
    heading("Invoices")
    schemas = {schema["name"]: schema["id"] for schema in api.get("v1/schemas")["schemas"]}
    results = api.call("search_inbox", inbox_id=inbox, query="invoice number", top_k=3)
    for hit in results["results"]:
        found = api.call(
            "extract_to_schema", message_id=hit["message_id"], schema_id=schemas["Invoice"]
        )
        values = json.dumps(found["data"], ensure_ascii=False)
        say(f"   {found['confidence']:.2f}  {short(values, 110)}")
        if found.get("missing_fields"):
            say(f"         missing: {', '.join(found['missing_fields'])}")


def newest_inbound(api: Chancery, thread_id: str) -> dict[str, Any] | None:
    """Return the newest message of a thread that we did not write."""
    messages = api.call("get_thread", thread_id=thread_id)["messages"]
    inbound = [message for message in messages if message["direction"] == "inbound"]
    return inbound[-1] if inbound else None


def find_thread(api: Chancery, inbox: str, task: Task) -> tuple[str, str] | None:
    """Return the (thread, newest message) of a task; None where there is none."""
    for hit in api.call("search_inbox", inbox_id=inbox, query=task.query, top_k=10)["results"]:
        messages = api.call("get_thread", thread_id=hit["thread_id"])["messages"]
        if any(one["from"]["email"] == task.sender for one in messages):
            return hit["thread_id"], messages[-1]["id"]
    return None


def standing(api: Chancery) -> dict[str, dict[str, Any]]:
    """Return the newest approval of each thread."""
    newest: dict[str, dict[str, Any]] = {}
    arguments: dict[str, Any] = {"limit": 200}
    while True:
        page = api.call("list_approvals", **arguments)
        for approval in page["approvals"]:
            newest.setdefault(approval.get("thread_id", ""), approval)
        if "next_cursor" not in page:
            return newest
        arguments["cursor"] = page["next_cursor"]


def reply(api: Chancery, inbox: str, policy: str) -> None:
    """Draft an answer to each task and propose to send it, once."""
    heading("Drafting replies, and proposing to send them")
    known = standing(api)
    for task in TASKS:
        found = find_thread(api, inbox, task)
        if found is None:
            say(f"   {task.sender}: no such thread")
            continue
        thread, message = found
        before = known.get(thread)
        goal, key = task.goal, f"demo-{message}"
        if before is not None and before["state"] == "returned":
            goal, key = f"{goal}. {before['feedback']}", f"demo-{before['approval_id']}"
            say(f"   {task.sender}: sent back with “{short(before['feedback'])}”; trying again")
        elif before is not None:
            say(f"   {task.sender}: proposed already, {before['state']}")
            continue
        drafted = api.call("draft_reply_with_policy", thread_id=thread, policy_id=policy, goal=goal)
        flags = ", ".join(drafted.get("risk_flags", [])) or "no risk flags"
        cited = len(drafted.get("cited_message_ids", []))
        say(f"   {task.sender}: drafted, {flags}; messages it rests on: {cited}")
        for line in drafted["draft"].splitlines():
            say(f"     | {line}")
        propose(api, thread, drafted["draft"], key)


def careless(api: Chancery, inbox: str) -> None:
    """Propose what should not be sent, to see what the checks say."""
    heading("What a careless agent would send")
    known = standing(api)
    for task in CARELESS:
        found = find_thread(api, inbox, task)
        if found is None or found[0] in known:
            say(f"   {task.sender}: nothing new to propose")
            continue
        say(f"   {task.sender}: {short(task.goal.partition(',')[2], 60)}")
        propose(api, found[0], task.goal, f"demo-careless-{found[1]}")


def propose(api: Chancery, thread: str, body: str, key: str) -> None:
    """Propose to send; the answer is `queued` while it waits for a person."""
    try:
        sent = api.call("send_reply", thread_id=thread, body_or_draft_id=body, idempotency_key=key)
        say(f"     → {sent['status']} as {sent['message_id']}")
    except RefusedError as error:
        say(f"     → {error}")


def try_what_is_not_allowed(api: Chancery) -> None:
    """Show how refusals look."""
    heading("What I am not allowed to do")
    approval = next(iter(standing(api).values()), None)
    attempts: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("approve my own proposal", "approve",
         {"approval_id": approval["approval_id"] if approval else ""}),
        ("read a thread that is not mine", "get_thread", {"thread_id": "thr_somebodyelses"}),
        ("send without a key", "send_reply", {"thread_id": "thr_x", "body_or_draft_id": "Hello"}),
    )  # fmt: skip
    for words, tool, arguments in attempts:
        try:
            api.call(tool, **arguments)
            say(f"   {words}: it was allowed!")
        except RefusedError as error:
            say(f"   {words}: {error}")
    lower_attention(api)


def lower_attention(api: Chancery) -> None:
    """Try to put away what was surfaced for a person."""
    surfaced = api.call("query_activities", status="surfaced", limit=1)["activities"]
    for activity in surfaced:
        try:
            api.call(
                "update_activities",
                key=f"demo-put-away-{activity['id']}",
                activity_ids=[activity["id"]],
                updates={"status": "archived", "classification": None},
            )
        except RefusedError as error:
            say(f"   put away “{short(activity['title'], 40)}”: {short(str(error), 90)}")


def report(api: Chancery) -> None:
    """Say what waits, and for what a person should look."""
    heading("What waits for a person")
    for approval in api.call("list_approvals", state="waiting", limit=50)["approvals"]:
        flags = ", ".join(flag["flag"] for flag in approval["risk_flags"]) or "no flags"
        say(f"   {approval['approval_id']}  {approval['tool']}: {flags}")
        say(f"     {approval['review_url']}")


def main() -> int:
    """Run the whole round; return 1 where the service or the token is not what it should be."""
    parser = argparse.ArgumentParser(description="A scripted agent for Chancery's demo.")
    parser.add_argument("--url", default=os.environ.get("CHANCERY_URL", "http://127.0.0.1:8000"))
    parser.add_argument("--token", default=os.environ.get("CHANCERY_TOKEN", ""))
    given = parser.parse_args()
    if not given.token:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN")
    api = Chancery(given.url, given.token)
    try:
        inbox = look_around(api)
        list_threads(api, inbox)
        search(api, inbox)
        classify(api)
        triage(api, inbox)
        extract(api, inbox)
        reply(api, inbox, api.get("v1/policies")["policies"][0]["id"])
        careless(api, inbox)
        try_what_is_not_allowed(api)
        report(api)
    except RefusedError as error:
        say(f"Refused: {error}")
        return 1
    except urllib.error.URLError as error:
        say(f"No answer from {given.url}: {error.reason}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
