"""The typed Python client: draft an answer, propose it, and wait until a person has decided.

pip install ./client
CHANCERY_TOKEN=chy_… python3 examples/typed_client.py
"""

import sys

from chancery_api import read_options, say

from chancery_client import Chancery, ChanceryError, Held, NotDecidedError


def run(chancery: Chancery, query: str, seconds: float) -> int:
    """Answer the best hit of a search; return 0 once it was decided."""
    inbox = chancery.house.look_around(kind="inboxes")["inboxes"][0]["id"]
    found = chancery.mail.search_inbox(inbox_id=inbox, query=query, top_k=1)
    thread = chancery.mail.get_thread(thread_id=found["results"][0]["thread_id"])["thread"]
    say(f"Answering “{thread.get('subject', '')}” …")
    draft = chancery.mail.draft_reply_with_policy(
        thread_id=thread["id"], policy_id="default", goal="Say that we answer tomorrow",
    )  # fmt: skip
    sent = chancery.mail.send_reply(thread_id=thread["id"], body_or_draft_id=draft["draft"])
    if not isinstance(sent, Held):
        say(f"It was {sent['status']} before.")
        return 0
    say(f"A person decides at {sent.review_url}")
    try:
        decided = chancery.wait_for_decision(sent, timeout=seconds)
    except NotDecidedError as late:
        say(f"{late}; ask for {late.approval_id} later.")
        return 1
    say(f"It is {decided['state']}. {decided.get('note', '')}".rstrip())
    return 0


def main() -> int:
    """Run it with an agent's token."""
    parser = read_options("An answer by the typed client.")
    parser.add_argument("--query", default="refund card")
    parser.add_argument("--seconds", type=float, default=600, help="wait so long for a person")
    given = parser.parse_args()
    if not given.token:
        parser.error("give the agent's token, as --token or in CHANCERY_TOKEN")
    try:
        with Chancery(given.url, given.token) as chancery:
            return run(chancery, given.query, given.seconds)
    except ChanceryError as error:
        say(f"Refused: {error}")
        return 1


if __name__ == "__main__":
    sys.exit(main())
