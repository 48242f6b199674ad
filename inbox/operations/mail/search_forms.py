"""What stands beside a message for the search, made anew for mail that was stored before.

Mail that comes in has it from the beginning (`inbox.rfc5322.text.search_words`). A search finds
older mail meanwhile only in the forms that it had.
"""

from collections.abc import Sequence

from inbox.background.jobs import Payload, handler
from inbox.models import Attachment, Message
from inbox.operations.renewing import renew_words
from inbox.rfc5322.text.search_words import search_words

_COLUMNS = ("pk", "subject", "from_name", "text", "language", "search_extra")


@handler("search.forms")
def renew_forms(payload: Payload) -> None:
    """Renew what stands beside the next messages after a key, oldest first, and go on."""
    rows = Message.objects.only(*_COLUMNS)
    renew_words("search.forms", rows, int(payload["after"]), _beside)


def _beside(messages: Sequence[Message]) -> list[str]:
    names: dict[int, list[str]] = {}
    rows = Attachment.objects.filter(message__in=messages).order_by("message", "position")
    for key, filename in rows.values_list("message_id", "filename"):
        names.setdefault(key, []).append(filename)
    return [
        search_words(
            f"{message.subject}\n{message.from_name}\n{message.text}",
            names.get(message.pk, ()), message.language,
        )
        for message in messages
    ]  # fmt: skip
