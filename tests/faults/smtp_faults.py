"""Random misbehaviour of an SMTP server, one script for each connection to come."""

import random
from typing import Any

from tests.faults.scripted import Script, cut, drop, later, reset, silence, split, then_drop

_BEFORE = ("connect", "EHLO", "AUTH", "MAIL", "RCPT", "DATA")
_REFUSALS = {
    "connect": ("421 4.3.2 {n} not now", "554 5.3.2 {n} no service here"),
    "EHLO": ("421 4.3.2 {n} closing", "502 5.5.1 {n} no", "451 4.3.0 {n} wait"),
    # Of these only the code is told, for the text may repeat what is secret.
    "AUTH": ("454 ", "535 ", "421 "),
    "MAIL": ("451 4.3.0 {n} later", "550 5.7.1 {n} not you", "452 4.3.1 {n} full", "421 4.4.2 {n} bye"),
    "RCPT": ("450 4.2.1 {n} busy", "550 5.1.1 {n} nobody", "452 4.5.3 {n} too many", "421 4.4.2 {n} bye"),
    "DATA": ("451 4.3.0 {n} later", "554 5.5.1 {n} no", "250 2.0.0 {n} odd", "421 4.4.2 {n} bye"),
    "dot": ("451 4.3.0 {n} after all", "554 5.6.0 {n} no", "452 4.3.1 {n} full", "421 4.4.2 {n} bye",
            "350 {n} neither"),
}  # fmt: skip
_GARBAGE = (b"HTTP/1.1 400 Bad Request", b"\xff\xfe\x00", b"250-never\r\n250-ends\r\n251 but so", b"",
            b"x" * 9000, b"220-a\r\n" * 300)  # fmt: skip
_SLOW = 0.05


def random_scripts(chance: random.Random, *, patient: bool = True) -> list[Script]:
    """Return scripts for none to four connections; `patient`: some wait until we give up."""
    return [
        random_script(chance, patient=patient)
        for _ in range(chance.choices((0, 1, 2, 4), (5, 8, 3, 1))[0])
    ]


def random_script(chance: random.Random, *, patient: bool = True) -> Script:
    """Return one script: one verb at which something happens."""
    verb = chance.choice((*_BEFORE, "dot", "dot", "dot"))
    action = _action(chance, verb, patient)
    if verb == "RCPT":
        # At one of the recipients; the others are taken.
        return {verb: [None] * chance.choice((0, 0, 1, 3)) + [action]}
    return {verb: [action]}


def _action(chance: random.Random, verb: str, patient: bool) -> Any:
    kind = chance.choices(
        ("refusal", "drop", "reset", "cut", "silence", "late", "split", "drop after", "garbage"),
        (10, 4, 4, 2, 1 if patient else 0, 2, 3, 3, 2),
    )[0]
    if kind == "refusal":
        return chance.choice(_REFUSALS[verb]).format(n=f"no{chance.randrange(10**9)}")
    if kind == "garbage":
        return chance.choice(_GARBAGE)
    actions: dict[str, Any] = {
        "drop": drop, "reset": reset, "cut": cut, "silence": silence, "late": later(_SLOW),
        "split": split(chance.randrange(2, 9)), "drop after": then_drop,
    }  # fmt: skip
    return actions[kind]
