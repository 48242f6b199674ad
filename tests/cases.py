"""Many cases of one rule, checked in one test; and which of many are tried by default.

`in_one_test("html", HARMFUL)` is written as `pytest.mark.parametrize` is, for cases that leave
nothing behind: each costs what it does, and not the five milliseconds of a test of its own. Those
that write rows are `taken_back`. `CASES=send_reply,newest` in the environment tries only the cases
that have one of these words among their values, and skips tests that have none.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, TypeVar

import pytest
from django.db import transaction

Case = TypeVar("Case")


def in_one_test(
    names: str | tuple[str, ...], values: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return what makes one test of all cases; every one that fails is told, by its values."""
    named = (names,) if isinstance(names, str) else names
    cases = [(each,) if isinstance(names, str) else each for each in values]
    if not cases:
        raise ValueError(f"there is no case of {names}")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def check(**fixtures: Any) -> None:
            failed = []
            chosen = _chosen(cases)
            for case in chosen:
                try:
                    test(**fixtures, **dict(zip(named, case, strict=True)))
                except Exception as error:  # noqa: BLE001 - told at the end, with all others
                    error.add_note(f"{', '.join(named)}: {', '.join(map(repr, case))}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(chosen)} cases fail", failed)

        asked = inspect.signature(test).parameters.values()
        check.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [each for each in asked if each.name not in named]
        )
        return check

    return decorate


def _chosen(cases: Sequence[Case]) -> Sequence[Case]:
    """Return the cases that the environment asks for, or all; skips the test where there is none."""
    words = [word for word in os.environ.get("CASES", "").split(",") if word]
    found = [case for case in cases if any(word in repr(case) for word in words)]
    if words and not found:
        pytest.skip(f"no case has any of {', '.join(words)}")
    return found if words else cases


def taken_back(test: Callable[..., None]) -> Callable[..., None]:
    """Have all that a case writes into the database taken back at its end, for `in_one_test`."""

    @wraps(test)
    def check(**given: Any) -> None:
        with transaction.atomic():
            test(**given)
            transaction.set_rollback(True)

    return check


def made_up(number: int) -> int:
    """Return how many cases to make up: a quarter of them, or all with RANDOM_CASES=all."""
    return number if os.environ.get("RANDOM_CASES") == "all" else number // 4


def every(step: int) -> int:
    """Return by which step to walk through cases: fourfold, or this one with RANDOM_CASES=all."""
    return step if os.environ.get("RANDOM_CASES") == "all" else step * 4


def by_turns(cases: Sequence[Case], turn: int) -> Sequence[Case]:
    """Return every other case, of the other half with the next turn; all with RANDOM_CASES=all.

    It is for tests that go through the same cases: each case is tried by half of the tests.
    """
    return cases if os.environ.get("RANDOM_CASES") == "all" else cases[turn % 2 :: 2]
