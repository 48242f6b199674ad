"""What the scripted model does with a framework's tools, and the person who decides on it."""

import time
from collections.abc import Generator
from typing import Any

from examples.stand_in import Asked, Call
from tests.clients.service import Service
from tests.patience import LONG

REPLY = "Thank you for your mail. You hear from us by tomorrow noon."
DONE = "It has left."
STEPS = ("call", "mend", "held", "followed")


class Round:
    """One run of a framework: what its model was handed, and how far it came."""

    def __init__(self, service: Service, name: str) -> None:
        self._service = service
        self._name = name
        self._decided: set[str] = set()
        self.asked: list[Asked] = []
        self.reached: list[str] = []
        self.trouble = ""

    def watch(self, asked: Asked) -> None:
        """Keep what the model was handed."""
        self.asked.append(asked)

    def work(self) -> Generator[Call, Any, str]:
        """Go through the steps; where one fails, the model says so and ends."""
        self.reached = []
        try:
            yield from self._call_and_mend()
            yield from self._propose_and_follow()
        except (AssertionError, KeyError, IndexError, TypeError, OSError) as error:
            self.trouble = f"after {self.reached[-1:]}: {error!r}"
            return "It went wrong."
        return DONE

    def _call_and_mend(self) -> Generator[Call, Any, None]:
        """Look around, list, and get an email, the first time without saying which."""
        around = yield Call("look_around", {"kind": "accounts"})
        self._account = around["accounts"][0]["id"]
        self.reached.append("call")
        found = yield Call("list", _of("emails", account_id=self._account, limit=3))
        newest = found[0]["id"]
        refused = yield Call("get", _of("email", account_id=self._account))
        named = refused["details"]["errors"][0]["pointer"].rpartition("/")[2]
        email = yield Call("get", _of("email", account_id=self._account, **{named: newest}))
        assert email["id"] == newest
        self._email = email["id"]
        self.reached.append("mend")

    def _propose_and_follow(self) -> Generator[Call, Any, None]:
        """Propose a reply, be told that it waits, and ask until it has left."""
        reply = {
            "account_id": self._account, "email_id": self._email, "confirm": True,
            "body": f"{REPLY}\n\n{self._name}",
        }  # fmt: skip
        held = yield Call("reply", _of("email", **reply))
        approval = {"approval_id": held["approval_id"]}
        assert held["review_url"].endswith(f"/{held['approval_id']}/")
        stands = yield Call("get_approval", approval)
        assert stands["state"] == "waiting"
        self.reached.append("held")
        self._approve(held["approval_id"])
        stands = yield Call("get_approval", approval)
        assert stands["state"] == "approved"
        self._wait_until_sent(held["approval_id"])
        stands = yield Call("get_approval", approval)
        assert stands["submission_state"] == "sent"
        self.reached.append("followed")

    def _approve(self, approval_id: str) -> None:
        """Decide as a person, once: the script runs anew with each answer."""
        if approval_id not in self._decided:
            self._service.person.answer(approval_id, [{"type": "accept", "args": None}])
            self._decided.add(approval_id)

    def _wait_until_sent(self, approval_id: str) -> None:
        deadline = time.monotonic() + LONG
        while self._service.approval(approval_id)["submission_state"] != "sent":
            assert time.monotonic() < deadline, "it never left"
            time.sleep(0.3)


def end_at_once() -> Generator[Call, Any, str]:
    """Call nothing: the framework has shown its tools by then."""
    yield from ()
    return DONE


def _of(resource: str, **parameters: object) -> dict[str, Any]:
    return {"resource": resource, "parameters": parameters}
