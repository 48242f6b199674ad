"""Where values that were found stand, as the port tells it."""

from inbox.extract.found import Extraction
from inbox.models import Message
from inbox.understanding.port import Span


def spans_of(message: Message, found: Extraction) -> tuple[Span, ...]:
    """Return where the values stand in the subject, the message's new text and who wrote it."""
    parts = (("subject", message.subject), ("text", message.new_text),
             ("from", f"{message.from_name} {message.from_email}"))  # fmt: skip
    spans = []
    for place in found.places.values():
        excerpt = place.span.excerpt
        for part, text in parts:
            at = text.find(excerpt) if excerpt else -1
            if at >= 0:
                spans.append(Span(part, at, at + len(excerpt), excerpt))
                break
    return tuple(dict.fromkeys(spans))
