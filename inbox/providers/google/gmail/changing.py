"""Changing labels of messages, many with each request; and removing messages for good."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from inbox.providers.google.asking import (
    GoogleApi,
    NotGrantedError,
    fields_of,
    is_not_granted,
    is_too_much,
    reasons_of,
    refusal,
)
from inbox.providers.google.gmail.labels import USER, LabelChange, label_change
from inbox.providers.http.addresses import part
from inbox.providers.http.failures import shown
from inbox.providers.http.json_values import text_of
from inbox.providers.http.reading import Answer
from inbox.providers.mail_changes import MailChange
from inbox.providers.mail_store import StoreError
from inbox.reasons import own
from inbox.reasons import phrase as _

# Messages that one request may name (messages.batchModify, messages.batchDelete).
_MOST = 1000
_ABOUT_MESSAGE = frozenset({400, 403, 409})


def change_messages(api: GoogleApi, changes: Mapping[str, MailChange]) -> dict[str, StoreError]:
    """Change the labels of messages, those alike together; return what was refused, by id."""
    refused: dict[str, StoreError] = {}
    alike: dict[LabelChange, list[str]] = defaultdict(list)
    for one, change in changes.items():
        labels = label_change(change)
        if labels is None:
            words = _("Gmail keeps this message where it is.")
            refused[one] = StoreError("permanent", words)
        else:
            alike[labels].append(one)
    for labels, ids in alike.items():
        for at in range(0, len(ids), _MOST):
            refused |= _change_alike(api, ids[at : at + _MOST], labels)
    return refused


def _change_alike(api: GoogleApi, ids: Sequence[str], labels: LabelChange) -> dict[str, StoreError]:
    """Change them all at once; one by one where something of them is refused."""
    fields = {"addLabelIds": sorted(labels.add), "removeLabelIds": sorted(labels.remove)}
    fields = {name: value for name, value in fields.items() if value}
    if len(ids) > 1:
        answer = api.ask(
            "POST", f"{USER}/messages/batchModify", fields={"ids": list(ids), **fields}
        )
        if answer.is_good:
            return {}
        if not _is_about_message(answer):
            raise refusal(answer)
    return _each(ids, lambda one: api.ask("POST", f"{_place(one)}/modify", fields=fields))


def destroy_messages(api: GoogleApi, ids: Sequence[str]) -> dict[str, StoreError]:
    """Remove messages for good; return what was refused.

    Whoever signed in may have allowed everything but that (`gmail.modify`): then they go into the
    trash, which Google empties after thirty days, and are refused.
    """
    refused: dict[str, StoreError] = {}
    for at in range(0, len(ids), _MOST):
        some = list(ids[at : at + _MOST])
        answer = api.ask("POST", f"{USER}/messages/batchDelete", fields={"ids": some})
        if is_not_granted(answer):
            refused |= _into_trash(api, some)
        elif not answer.is_good:
            raise refusal(answer)
    return refused


def _into_trash(api: GoogleApi, ids: Sequence[str]) -> dict[str, StoreError]:
    change = LabelChange(frozenset({"TRASH"}), frozenset())
    refused = _change_alike(api, ids, change)
    words = _("It is in the trash, which Google empties after 30 days.")
    return {
        one: NotGrantedError("permanent", words)
        for one in ids
        if one not in refused or refused[one].kind != "gone"
    }


def make_label(api: GoogleApi, name: str) -> str:
    """Make a label and return its id; raises StoreError."""
    shows = {"labelListVisibility": "labelShow", "messageListVisibility": "show"}
    made = fields_of(api.ask("POST", f"{USER}/labels", fields={"name": name, **shows}))
    if key := text_of(made, "id"):
        return key
    raise StoreError("transient", _("The server does not say what it made."))


def _each(ids: Sequence[str], ask: Callable[[str], Answer]) -> dict[str, StoreError]:
    refused: dict[str, StoreError] = {}
    for one in ids:
        answer = ask(one)
        if answer.is_good:
            continue
        error = refusal(answer)
        if error.kind != "gone" and not _is_about_message(answer):
            raise error
        refused[one] = error if error.kind == "gone" else _refused(answer)
    return refused


def _refused(answer: Answer) -> StoreError:
    why = ", ".join(sorted(reasons_of(answer))) or f"HTTP {answer.status}"
    words = _("The server refuses what we ask for: %(why)s.", why=own(why[:200]))
    return StoreError("permanent", words, shown(answer.status, answer.body))


def _is_about_message(answer: Answer) -> bool:
    """Return True if it is refused because of a message, and not of who asks or how often."""
    is_gone = answer.status in (404, 410)
    is_about_us = is_too_much(answer) or is_not_granted(answer)
    return is_gone or (answer.status in _ABOUT_MESSAGE and not is_about_us)


def _place(key: str) -> str:
    return f"{USER}/messages/{part(key)}"
