"""Working out what messages mean, in the background."""

from typing import Final

from inbox.background.periodic import periodic
from inbox.models import Message
from inbox.semantic.finding import MESSAGES
from inbox.semantic.missing import Missing, embed_missing

# In seconds: how long one round may take, with a batch begun before.
_ROUND: Final = 8.0
_LOOKED_BACK: Final = 2000
# Characters of the subject and of the text that the model is given.
_SUBJECT, _TEXT = 300, 1700


@periodic(15)
def embed_messages() -> int:
    """Work out the meaning of messages that have none yet, for some seconds; return how many.

    Until then a message is found by its words.
    """
    return embed_missing(missing_messages(), _ROUND)


def missing_messages() -> Missing:
    """Return the messages that have no vector."""
    rows = Message.objects.filter(meaning=None, deleted_at=None).only(
        "inbox_id", "subject", "new_text", "text"
    )
    return Missing(MESSAGES, rows, text_of, _LOOKED_BACK)


def text_of(message: Message) -> str:
    """Return what the model is given of a message: its subject and the beginning of its words."""
    words = message.new_text or message.text
    return f"{message.subject[:_SUBJECT]}\n{words[:_TEXT]}"
