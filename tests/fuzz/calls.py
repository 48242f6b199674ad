"""Makes up calls from the OpenAPI document, with the ids of rows that there are now and then."""

import collections
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.schemas import APIOperation
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    missing_required_header,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error, status_code_conformance, content_type_conformance,
    response_headers_conformance, response_schema_conformance, missing_required_header,
]  # fmt: skip
# How many made-up calls of an operation hypothesis is asked for at once.
_AT_ONCE = 40
# How often an id that was made up gives way to one that there is.
_REAL = 0.7
# How often a token or session that was made up is left to stand.
_STRANGER = 0.03

Ids = dict[str, list[str]]
Send = Callable[[Case], Any]


@dataclass
class Run:
    """What came of the calls: how many, with which status, and what was wrong."""

    calls: int = 0
    statuses: collections.Counter[int] = field(default_factory=collections.Counter)
    by_operation: collections.Counter[str] = field(default_factory=collections.Counter)
    failures: dict[str, str] = field(default_factory=dict)


def fuzz(schema: Any, ids: Ids, send: Send, run: Run, *, calls: int, number: int = 1) -> None:
    """Make up this many calls, going round the operations, and note in `run` what came of them.

    `number` seeds all that is random.
    """
    chance = random.Random(number)
    operations = [found.ok() for found in schema.get_all_operations()]
    with_ids = _sender(ids, send, chance)
    each = max(1, min(_AT_ONCE, calls // (2 * len(operations))))
    while run.calls < calls:
        number += 1
        for operation in operations:
            for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
                if run.calls >= calls:
                    return
                _try(operation, mode, run, with_ids, most=each, number=number)


def _sender(ids: Ids, send: Send, chance: random.Random) -> Send:
    def with_real_ids(case: Case) -> Any:
        if chance.random() < _REAL:
            _put_real_ids(case, ids, chance)
        if chance.random() > _STRANGER:
            for held in (case.headers, case.cookies):
                for name in ("Authorization", "sessionid"):
                    held.pop(name, None)
        return send(case)

    return with_real_ids


def _try(
    operation: APIOperation, mode: GenerationMode, run: Run, send: Send, *, most: int, number: int
) -> None:
    """Make up calls of one operation, and note what came of each."""
    strategy = operation.as_strategy(generation_mode=mode)

    @seed(number)
    @settings(
        max_examples=most, deadline=None, database=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=strategy)
    def one(case: Case) -> None:
        _check(case, operation.label, run, send)

    try:
        one()
    except Exception as error:
        # An operation of which nothing wrong can be said is called rightly alone.
        if type(error).__name__ not in {"Unsatisfiable", "SkipTest", "Skipped"}:
            raise


def _check(case: Case, label: str, run: Run, send: Send) -> None:
    response = send(case)
    run.calls += 1
    run.statuses[response.status_code] += 1
    run.by_operation[label] += 1
    try:
        case.validate_response(response, checks=CHECKS)
    except (Failure, FailureGroup) as failure:
        for problem in getattr(failure, "exceptions", None) or [failure]:
            kind = f"{label}: {type(problem).__name__} ({response.status_code})"
            if kind not in run.failures:
                run.failures[kind] = f"{case.as_curl_command()}\n{problem}"
                say(f"wrong after {run.calls} calls: {kind}")


# -- ids that there are ----------------------------------------------------------------------------
def _put_real_ids(case: Case, ids: Ids, chance: random.Random) -> None:
    """Put ids of rows where ids of that kind were made up."""
    for place in (case.path_parameters, case.query, case.body):
        for holder, name in list(_places(place)):
            known = ids.get(_kind(name))
            if known:
                real = chance.choice(known)
                holder[name] = [real] if isinstance(holder[name], list) else real


def _places(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, str | list):
                yield value, name
            yield from _places(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _places(inner)


def _kind(name: str) -> str:
    """Return the kind of row that a field names: `thread_id` and `thread_ids` name threads."""
    return name.removesuffix("s").removesuffix("_id")


def say(words: str) -> None:
    """Print at once."""
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


class Pace:
    """Says every so often how far it is."""

    def __init__(self, calls: int) -> None:
        self.calls, self.done, self.began = calls, 0, time.monotonic()

    def step(self) -> None:
        """Count a call."""
        self.done += 1
        if self.done % 1000 == 0:
            rate = self.done / (time.monotonic() - self.began)
            say(f"{self.done} of {self.calls} calls, {rate:.0f} a second")


def load(document: dict[str, Any]) -> Any:
    """Return the schema of a document."""
    return schemathesis.openapi.from_dict(document)
