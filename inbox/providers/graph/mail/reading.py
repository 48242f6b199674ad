"""Messages by their ids: their states, and their bytes."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial

from inbox.providers.graph.answers import instant
from inbox.providers.graph.asking import MOST_IN_BATCH, GraphApi
from inbox.providers.graph.mail.states import message_path, message_paths, state_of
from inbox.providers.http.in_order import in_order
from inbox.providers.http.reading import LongAnswerError
from inbox.providers.http.session import refused
from inbox.providers.mail_changes import MailItem, MailState
from inbox.providers.mail_store import LARGEST_MESSAGE, StoreError
from inbox.reasons import own
from inbox.reasons import phrase as _


def states_of(api: GraphApi, ids: Sequence[str]) -> dict[str, MailState]:
    """Return the states of messages that are still there; raises StoreError."""
    states = {one: state_of(found) for one, found in api.present(message_paths(ids)).items()}
    if any(state is None for state in states.values()):
        raise StoreError("transient", _("The server does not tell the state of its mail."))
    return {one: state for one, state in states.items() if state is not None}


def fetch_messages(api: GraphApi, ids: Sequence[str]) -> Iterator[MailItem]:
    """Yield the messages that are still there, in their order; raises StoreError."""
    for at in range(0, len(ids), MOST_IN_BATCH):
        some = ids[at : at + MOST_IN_BATCH]
        found = api.present(message_paths(some, {"$select": "receivedDateTime"}))
        wanted = [(one, instant(found[one], "receivedDateTime")) for one in some if one in found]
        yield from in_order(partial(_download, api), wanted)


def _download(api: GraphApi, wanted: tuple[str, datetime | None]) -> MailItem | None:
    """Return a message; None where it is not there any more."""
    id_, received_at = wanted
    try:
        answer = api.mime(f"{message_path(id_)}/$value", LARGEST_MESSAGE)
    except LongAnswerError as error:
        return MailItem(id_, b"", received_at, error.words)
    if answer.is_good and answer.body:
        return MailItem(id_, answer.body, received_at)
    refusal = refused(answer)
    if refusal.kind == "gone":
        return None
    if refusal.kind == "permanent":
        words = _("The server does not provide it: %(why)s", why=own(refusal.reply[:300]))
        return MailItem(id_, b"", received_at, words)
    raise refusal
