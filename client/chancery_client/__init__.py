"""Chancery's tools as typed methods: `Chancery` and `AsyncChancery`.

with Chancery("http://127.0.0.1:8000", "chy_…") as chancery:
    held = chancery.mail.send_reply(thread_id="thr_…", body_or_draft_id="Thank you.")
    if isinstance(held, Held):
        print("A person decides at", held.review_url)
        print(chancery.wait_for_decision(held)["state"])
"""

from chancery_client.clients import AsyncChancery, Chancery
from chancery_client.errors import (
    ChanceryError,
    ConflictError,
    InvalidInputError,
    NotDecidedError,
    NotFoundError,
    PermissionDeniedError,
    PolicyBlockedError,
    ProviderError,
    RateLimitedError,
    UnauthenticatedError,
)
from chancery_client.generated.shapes.house import Approval
from chancery_client.wire import OMITTED, Held, Omitted

__all__ = [
    "OMITTED",
    "Approval",
    "AsyncChancery",
    "Chancery",
    "ChanceryError",
    "ConflictError",
    "Held",
    "InvalidInputError",
    "NotDecidedError",
    "NotFoundError",
    "Omitted",
    "PermissionDeniedError",
    "PolicyBlockedError",
    "ProviderError",
    "RateLimitedError",
    "UnauthenticatedError",
]
