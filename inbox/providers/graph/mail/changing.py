"""Changing messages: over the state that was seen, so that what others change meanwhile stays.

Graph works on four requests of a mailbox at a time (MailboxConcurrency), so a batch that changes
something has four.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from inbox.providers.graph.answers import Json, etag
from inbox.providers.graph.asking import (
    ABOUT_ITEM,
    CONFLICTS,
    GraphApi,
    Request,
    is_too_much,
    refused_item,
)
from inbox.providers.graph.mail.states import message_path, message_paths, moved_to, patch
from inbox.providers.http.reading import Answer
from inbox.providers.http.session import refused
from inbox.providers.mail_changes import MailChange
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _

_AT_ONCE, _AHEAD = 4, 100
_TRIES = 4


def change_messages(api: GraphApi, changes: Mapping[str, MailChange]) -> dict[str, StoreError]:
    """Change messages; return what was refused, by id. Raises StoreError for all else."""
    refusals: dict[str, StoreError] = {}
    ids = list(changes)
    for at in range(0, len(ids), _AHEAD):
        some = {one: changes[one] for one in ids[at : at + _AHEAD]}
        for _number in range(_TRIES):
            some = _try(api, some, refusals)
            if not some:
                break
        else:
            raise StoreError("transient", _("A message changes again and again."))
    return refusals


def destroy_messages(api: GraphApi, ids: Sequence[str]) -> dict[str, StoreError]:
    """Remove messages for good; return what was refused, by id."""
    wanted = [(one, Request("POST", f"{message_path(one)}/permanentDelete")) for one in ids]
    refusals: dict[str, StoreError] = {}
    for one, answer in _answers(api, wanted):
        if not answer.is_good and answer.status != 404:
            refusals[one] = _refusal(answer)
    return refusals


def _try(
    api: GraphApi, changes: Mapping[str, MailChange], refusals: dict[str, StoreError]
) -> dict[str, MailChange]:
    """Change what differs; return what another one changed meanwhile, to be tried again."""
    found = api.present(message_paths(changes))
    for one in changes.keys() - found.keys():
        refusals[one] = _gone()
    again: dict[str, MailChange] = {}
    for wanted in (_patches(changes, found), _moves(changes, found)):
        left = [it for it in wanted if it[0] not in again and it[0] not in refusals]
        for one, answer in _answers(api, left):
            if answer.status in CONFLICTS:
                again[one] = changes[one]
            elif answer.status == 404:
                refusals[one] = _gone()
            elif not answer.is_good:
                refusals[one] = _refusal(answer)
    return again


def _patches(
    changes: Mapping[str, MailChange], found: Mapping[str, Json]
) -> list[tuple[str, Request]]:
    now = datetime.now(UTC)
    pairs = ((one, patch(told, changes[one], now)) for one, told in found.items())
    return [
        (one, Request("PATCH", message_path(one), fields, etag(found[one])))
        for one, fields in pairs
        if fields
    ]


def _moves(
    changes: Mapping[str, MailChange], found: Mapping[str, Json]
) -> list[tuple[str, Request]]:
    pairs = ((one, moved_to(told, changes[one])) for one, told in found.items())
    return [
        (one, Request("POST", f"{message_path(one)}/move", {"DestinationId": folder}))
        for one, folder in pairs
        if folder
    ]


def _answers(api: GraphApi, wanted: Sequence[tuple[str, Request]]) -> Iterator[tuple[str, Answer]]:
    """Yield the answer to each; raises StoreError for what may go well later."""
    for at in range(0, len(wanted), _AT_ONCE):
        some = wanted[at : at + _AT_ONCE]
        answers = api.together([request for _one, request in some])
        for (one, _request), answer in zip(some, answers, strict=True):
            yield one, answer


def _refusal(answer: Answer) -> StoreError:
    """Return why a change of one message is not taken; raises StoreError where it may be later."""
    if answer.status not in ABOUT_ITEM or is_too_much(answer):
        raise refused(answer)
    error = refused_item(answer)
    return StoreError("permanent", error.words, error.reply)


def _gone() -> StoreError:
    return StoreError("gone", _("There is no such message any more."))
