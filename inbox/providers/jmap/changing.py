"""Changing messages and mailboxes by JMAP: patches (RFC 8620 5.3), so that other changes stay."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from inbox.providers.jmap import objects
from inbox.providers.jmap.api import JmapApi, MethodError
from inbox.providers.jmap.patches import pointed
from inbox.providers.mail_changes import MailChange
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_MOST = 500


def change_messages(api: JmapApi, changes: Mapping[str, MailChange]) -> dict[str, StoreError]:
    """Change messages, some hundred with each call; return what was refused, by id."""
    refused: dict[str, StoreError] = {}
    for some in _pieces(api, {one: _patch(change) for one, change in changes.items()}):
        answer = run_set(api, "Email/set", {"update": some})
        refused |= objects.refusals(answer, "notUpdated")
    return refused


def destroy_messages(api: JmapApi, ids: Sequence[str]) -> dict[str, StoreError]:
    """Remove messages for good; return what was refused, by id."""
    refused: dict[str, StoreError] = {}
    most = min(api.resource.most_in_set, _MOST)
    for at in range(0, len(ids), most):
        answer = run_set(api, "Email/set", {"destroy": list(ids[at : at + most])})
        refused |= objects.refusals(answer, "notDestroyed")
    return {one: error for one, error in refused.items() if error.kind != "gone"}


def make_mailbox(api: JmapApi, name: str, role: str) -> str:
    """Make a mailbox at the top, with its role where the server takes that; raises StoreError."""
    error: StoreError | None = None
    for fields in ({"name": name, "role": role}, {"name": name}):
        answer = run_set(api, "Mailbox/set", {"create": {"new": fields}})
        made = objects.created(answer, "new")
        if objects.is_id(made.get("id")):
            return str(made["id"])
        error = objects.refusals(answer, "notCreated").get("new")
    raise error or StoreError("transient", _("The server does not say what it made."))


def run_set(api: JmapApi, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a `set`; raises StoreError."""
    try:
        return api.call((name, arguments, "0"))["0"]
    except MethodError as error:
        raise error.as_store_error() from error


def _patch(change: MailChange) -> dict[str, Any]:
    sets = {
        "keywords": (change.add_keywords, change.remove_keywords),
        "mailboxIds": (change.add_mailboxes, change.remove_mailboxes),
    }
    return {
        f"{name}/{pointed(one)}": value
        for name, pair in sets.items()
        for ones, value in zip(pair, (True, None), strict=True)
        for one in sorted(ones)
    }


def _pieces(api: JmapApi, patches: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield patches in pieces that the server takes at once."""
    most = min(api.resource.most_in_set, _MOST)
    some: dict[str, Any] = {}
    for one, patch in patches.items():
        if some and (len(some) >= most or not api.fits({**some, one: patch})):
            yield some
            some = {}
        some[one] = patch
    if some:
        yield some
