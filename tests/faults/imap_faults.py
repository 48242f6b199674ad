"""Random misbehaviour of an IMAP server, one script for each connection to come."""

import random
from typing import Any

from tests.faults.scripted import Action, Script, Talk, cut, drop, later, reset, split, then_drop

_VERBS = (
    "connect", "LOGIN", "AUTHENTICATE", "LIST", "SELECT", "EXAMINE", "SEARCH", "APPEND", "APPEND",
    "FETCH", "message", "LOGOUT",
)  # fmt: skip
_CODES = (
    "NO [UNAVAILABLE] try later", "NO [LIMIT] too many", "NO [THROTTLED] slower", "BAD what?",
    "NO [SERVERBUG] oh", "NO [INUSE] in use",
)  # fmt: skip


def refuse(words: str) -> Action:
    """Refuse the command, under its own tag."""

    def act(talk: Talk, usual: bytes) -> bytes:
        return talk.send(usual.split(b" ")[0] + f" {words}\r\n".encode())

    return act


def random_imap_scripts(chance: random.Random) -> list[Script]:
    """Return scripts for none to three connections."""
    number = chance.choices((0, 1, 2, 3), (5, 6, 2, 1))[0]
    return [{chance.choice(_VERBS): [_action(chance)]} for _ in range(number)]


def _action(chance: random.Random) -> Any:
    return chance.choice(
        (drop, drop, reset, cut, then_drop, split(5), later(0.05), refuse(chance.choice(_CODES)))
    )
