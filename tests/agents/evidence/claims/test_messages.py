"""Honest messages and messages with one slip: what is wrong is marked at its words, and little else."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import AttachedFile, Mark, Named, ProposedMessage, Source

WRITTEN = date(2026, 3, 9)
MESSAGES = yaml.safe_load(Path(__file__).with_name("messages.yaml").read_text())
BY_NAME = pytest.mark.parametrize("case", MESSAGES, ids=lambda it: it["name"])


def marks_of(case: dict[str, Any], body: str) -> list[Mark]:
    name, email = case["to"]
    proposed = ProposedMessage(
        "", body, WRITTEN + timedelta(days=1), greeted=(Named(name, email),),
        attached=tuple(AttachedFile(*it) for it in case.get("attached", {}).items()),
    )  # fmt: skip
    sources = [
        *(Source("message", f"mail-{n}", it, WRITTEN) for n, it in enumerate(case["mail"])),
        *(Source("file", f"file-{n}", it, WRITTEN, is_ours=True)
          for n, it in enumerate(case.get("ours", []))),
        *(Source("attachment", it.name, it.text, WRITTEN, is_ours=True) for it in proposed.attached),
    ]  # fmt: skip
    return check_claims(proposed, sources, known=proposed.greeted)


def wrong(marks: list[Mark]) -> list[Mark]:
    return [mark for mark in marks if mark.state != "found"]


@BY_NAME
def test_nothing_is_wrong_with_an_honest_message(case):
    assert wrong(marks_of(case, case["proposal"])) == []


@BY_NAME
def test_each_slip_is_marked_at_its_words(case):
    for right, slip in case["slips"]:
        assert case["proposal"].count(right) == 1, right
        body = case["proposal"].replace(right, slip)
        start = body.index(slip)
        end = start + len(slip.rstrip())
        marks = wrong(marks_of(case, body))
        assert any(mark.start < end and start < mark.end for mark in marks), (slip, marks)
        elsewhere = [it for it in marks if it.end <= start or end <= it.start]
        # A total that was right is wrong once one of its parts is.
        assert len(elsewhere) <= 1, (slip, elsewhere)


@BY_NAME
def test_a_mark_stands_where_its_words_are(case):
    for mark in marks_of(case, case["proposal"]):
        assert case["proposal"][mark.start : mark.end] == mark.excerpt
        assert mark.sources, mark
