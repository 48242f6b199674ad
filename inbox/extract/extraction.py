"""Extraction as the tool answers it: the data, and honestly what of it is missing or wrong."""

import logging
import time
from collections.abc import Sequence

from inbox.extract.attached import text_of
from inbox.extract.document import Document, document_of
from inbox.extract.fields import fields_of
from inbox.extract.filling import fill
from inbox.extract.found import Extraction
from inbox.extract.schemas import Schema, check_schema, resolve
from inbox.extract.validation import validation_errors
from inbox.models import Attachment, Message

log = logging.getLogger(__name__)
MOST_ATTACHMENTS = 5
LARGEST_ATTACHMENT = 4 * 2**20
# No file more is read when it took longer than this.
MOST_SECONDS = 10.0


def extract(message: Message, schema: Schema) -> Extraction:
    """Find in a message what the schema asks for; raises SchemaError where that cannot be asked."""
    check_schema(schema)
    return extract_from(read_document(message), schema)


def read_document(message: Message) -> Document:
    """Return a message as extraction reads it, with what is attached."""
    files = message.attachments.filter(workspace_id=message.workspace_id).select_related("blob")
    attachments = list(files[:20]) if message.has_attachments else []
    # Not by their names: the numbers in those are whoever's who saved the file.
    attached = _texts_of(attachments)
    to: dict[str, str] = next(iter(message.to), {})
    return document_of(
        subject=message.subject,
        new_text=message.new_text,
        text=message.text,
        attached=attached,
        sender=(message.from_name, message.from_email),
        recipient=(to.get("name", ""), to.get("email", "")),
        own_emails=frozenset(it.get("email", "").lower() for it in [*message.to, *message.cc]),
        sent_at=message.sent_at or message.received_at,
        language=message.language,
        attachment_names=tuple(it.filename for it in attachments),
    )


def _texts_of(attachments: Sequence[Attachment]) -> list[str]:
    """Return what the first files say that say anything, within a bounded time."""
    texts: list[str] = []
    until = time.monotonic() + MOST_SECONDS
    for attachment in attachments:
        if len(texts) >= MOST_ATTACHMENTS or time.monotonic() > until:
            break
        if attachment.size > LARGEST_ATTACHMENT:
            continue
        try:
            found = text_of(attachment.blob.read(), attachment.filename, attachment.content_type)
        except (OSError, ValueError):
            log.warning("cannot read the attachment %s", attachment.public_id)
            continue
        if found.text.strip():
            texts.append(found.text)
    return texts


def extract_from(document: Document, schema: Schema) -> Extraction:
    """Find in a document what the schema asks for; raises SchemaError."""
    check_schema(schema)
    filling = fill(resolve(schema, schema), document)
    errors = validation_errors(schema, filling.data)
    sure = _confidence(schema, filling.sure, errors)
    return Extraction(filling.data, sure, tuple(filling.missing), tuple(errors), filling.places)


def _confidence(schema: Schema, sure: dict[str, float], errors: list[str]) -> float:
    """Weigh what was found by how sure it is, required fields doubly, and what is missing as 0."""
    fields = [it for it in fields_of(schema) if it.kind != "const"]
    if not any(it.name in sure for it in fields):
        return 0.0
    weights = {it.name: 2.0 if it.required else 1.0 if it.name in sure else 0.4 for it in fields}
    total = sum(weight * sure.get(name, 0.0) for name, weight in weights.items())
    share = total / sum(weights.values())
    return round(share * (0.8 if errors else 1.0), 3)
