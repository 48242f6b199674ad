"""What stands beside a message for the search, made anew for mail that was stored before.

Mail that comes in has it from the beginning (`inbox.rfc5322.text.search_words`). What was here
before an update is gone through in the background, a few messages a job, each job enqueuing the
next; a search finds everything meanwhile, older mail only in the forms that it had.
"""

from collections.abc import Sequence

from django.db import transaction

from inbox.background.jobs import Payload, enqueue, handler
from inbox.models import Attachment, Message
from inbox.rfc5322.text.search_words import search_words

AT_ONCE = 50
_COLUMNS = ("pk", "subject", "from_name", "text", "language", "search_extra")


@handler("search.forms")
def renew_forms(payload: Payload) -> None:
    """Renew what stands beside the next messages after a key, oldest first, and go on."""
    rows = Message.objects.filter(pk__gt=int(payload["after"])).order_by("pk")
    with transaction.atomic():
        found = list(rows.only(*_COLUMNS)[:AT_ONCE])
        _renew(found)
        if len(found) == AT_ONCE:
            last = found[-1].pk
            enqueue("search.forms", {"after": last}, key=f"search.forms:{last}", priority=9)


def _renew(messages: Sequence[Message]) -> None:
    names: dict[int, list[str]] = {}
    rows = Attachment.objects.filter(message__in=messages).order_by("message", "position")
    for key, filename in rows.values_list("message_id", "filename"):
        names.setdefault(key, []).append(filename)
    changed = []
    for message in messages:
        text = f"{message.subject}\n{message.from_name}\n{message.text}"
        extra = search_words(text, names.get(message.pk, ()), message.language)
        if extra != message.search_extra:
            message.search_extra = extra
            changed.append(message)
    Message.objects.bulk_update(changed, ["search_extra"])
