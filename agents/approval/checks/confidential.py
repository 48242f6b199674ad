"""What says of itself that it stays in the house, and files that not everybody has been sent."""

from collections.abc import Iterable, Iterator, Sequence

import regex

from agents.evidence.claims.records import AttachedFile
from inbox.actor import Actor
from inbox.flags import Finding, found
from inbox.languages import any_of, lazy_regex
from inbox.models import Attachment, Draft, DraftAttachment, FileNode, Message

# By what a text says of itself where it begins, its path included, it stays in the house.
_HEAD = 600
_MARKED = lazy_regex(
    lambda: (
        rf"(?:^|/)[\"'*\[( ]{{0,3}}{any_of(lambda it: it.claims.internal)}\b"
        rf"|\b{any_of(lambda it: it.claims.confidential)}\b"
    ),
    regex.IGNORECASE | regex.MULTILINE,
)
_MOST_ROWS = 200


def is_marked(text: str) -> bool:
    """Return True if a text, or the path before it, says that it is for our own house."""
    return _MARKED.search(text[:_HEAD]) is not None


def find_files(
    actor: Actor, draft: Draft, attached: Sequence[AttachedFile], outsiders: Sequence[str]
) -> Iterator[Finding]:
    """Yield the attached files that some have not read the mail of, or that are to stay here."""
    rows = list(draft.attachments.all()) if draft.pk else []
    there = actor.within(draft.workspace_id)
    held = _messages_with(there, rows)
    marked = _marked(there, [row for row in rows if row.blob_id not in held], attached)
    for row in rows:
        messages = held.get(row.blob_id, [])
        if row.blob_id in marked:
            yield found(
                "not_for_these_readers", "marked", excerpt=row.filename, source=draft.public_id
            )
        elif messages and not any(has_read(one, outsiders) for one in messages):
            yield found(
                "not_for_these_readers", "attachment", excerpt=row.filename,
                source=messages[0].public_id,
            )  # fmt: skip


def _messages_with(there: Actor, rows: Sequence[DraftAttachment]) -> dict[int, list[Message]]:
    """Return the newest messages that came or went with the same bytes, by their blob."""
    held: dict[int, list[Message]] = {}
    parts = Attachment.objects.visible_to(there).filter(blob_id__in={it.blob_id for it in rows})
    for part in parts.select_related("message").order_by("-id")[:_MOST_ROWS]:
        held.setdefault(part.blob_id, []).append(part.message)
    return held


def _marked(
    there: Actor, rows: Sequence[DraftAttachment], attached: Sequence[AttachedFile]
) -> set[int]:
    """Return the blobs that are marked: by what they say, or by where we keep them."""
    said = {one.name: one.text for one in attached}
    found = {row.blob_id for row in rows if is_marked(f"{row.filename}\n{said.get(row.filename)}")}
    files = FileNode.objects.visible_to(there).filter(
        blob_id__in={row.blob_id for row in rows} - found, deleted_at=None
    )
    paths = files.values_list("blob_id", "path")[:_MOST_ROWS]
    return found | {blob for blob, path in paths if is_marked(path)}


def has_read(message: Message, outsiders: Iterable[str]) -> bool:
    """Return True if all of them have read a message."""
    readers = message.readers
    return all(email.lower() in readers for email in outsiders)
