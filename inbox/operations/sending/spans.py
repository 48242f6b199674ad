"""Spans of mail that is handed over: by which id and what came of it, never to whom or what."""

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from inbox.background.traces import Attribute, are_collected, span
from inbox.models import Submission
from inbox.providers.base import ProviderError

F = TypeVar("F", bound=Callable[..., Any])


def traced_send(function: F) -> F:
    """Make a span of each `submit(attempt)`, whose `submission` is handed to its provider."""

    @wraps(function)
    def submit(attempt: Any) -> Any:
        if not are_collected():
            return function(attempt)
        ours: Submission = attempt.submission
        about: dict[str, Attribute] = {
            "chancery.submission.id": ours.public_id,
            "chancery.attempt": ours.attempts + 1,
            "chancery.recipients": len(ours.envelope_to),
        }
        with span("send mail", about, kind="client") as made:
            try:
                return function(attempt)
            except ProviderError as error:
                made.fail(error.kind)
                raise

    return cast("F", submit)
