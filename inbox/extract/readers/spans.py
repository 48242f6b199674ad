"""Where in a message a value stands; pure. A value that stands nowhere is not given."""

from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.found import Span
from inbox.extract.labels import Candidate

# By the layers of a document.
SOURCES = ("text", "signature", "quoted")
_LONGEST = 200
# What reads these looks into several layers at once, and at who writes.
_SEARCHED = frozenset({"person", "first_name", "last_name", "recipient", "company"})


def span_at(document: Document, layer: int, start: int, end: int) -> Span | None:
    """Return the span of a stretch of a layer; None where it is none."""
    text = document.layers[layer]
    if not 0 <= start < end <= len(text):
        return None
    return Span(SOURCES[layer], start, end, text[start:end][:_LONGEST])


def span_of(candidate: Candidate, field: Field, document: Document, layer: int) -> Span | None:
    """Return where a candidate for a field stands; None where it stands nowhere."""
    if candidate.start >= 0 and field.kind not in _SEARCHED:
        return span_at(document, layer, candidate.start, candidate.end)
    return find_span(str(candidate.value), document)


def find_span(value: str, document: Document) -> Span | None:
    """Return where a text stands in the message as it is, or in who wrote it to whom."""
    wanted = value.lower()
    for layer, text in enumerate(document.layers):
        at = text.lower().find(wanted) if wanted else -1
        if at >= 0:
            return span_at(document, layer, at, at + len(wanted))
    headers = (
        ("from", document.sender_name), ("from", document.sender_email),
        ("to", document.recipient_name),
    )  # fmt: skip
    words = set(wanted.replace(",", " ").split())
    for source, header in headers:
        if words and words <= set(header.lower().replace(",", " ").split()):
            return Span(source, 0, len(header), header[:_LONGEST])
    return None
