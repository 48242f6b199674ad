"""What was filled in, kept as a draft of the person's own, with its files."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction

from agents.admin.writing.originals import FORWARD, Original
from agents.dispatching.rows import get_inbox_of
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.files.media_types import media_type_of
from inbox.models import Draft, FileNode, Identity, Inbox, Message
from inbox.operations.drafts.writing import (
    NewAttachment,
    attach_to_draft,
    create_draft,
    detach_from_draft,
    revise_draft,
)
from inbox.reasons import phrase as _

_MESSAGE = ("to", "cc", "bcc", "subject", "body")


def begin_draft(
    actor: Actor, filled: dict[str, Any], identity: Identity, original: Original | None
) -> Draft:
    """Keep a new mail as a draft; an answer belongs to its thread. Raises DomainError."""
    message = original.message if original else None
    is_answer = original is not None and original.kind != FORWARD
    inbox: Inbox = message.inbox if message and is_answer else get_inbox_of(identity.account)
    return create_draft(
        actor=actor, inbox=inbox, identity=identity, may_be_empty=True,
        thread=message.thread if message and is_answer else None,
        in_reply_to=message if is_answer else None, cited=[message] if message else [],
        attachments=list(_attached(actor.within(inbox.workspace_id), filled, message)),
        **{name: filled[name] for name in _MESSAGE},
    )  # fmt: skip


def change_draft(actor: Actor, draft: Draft, filled: dict[str, Any]) -> None:
    """Keep what was changed of a draft, and its files as they were ticked; raises DomainError."""
    if draft.body and not filled["body"].strip():
        raise invalid("body", _("The text is empty."), _("some words"))
    with transaction.atomic():
        revise_draft(
            draft=draft, author_key=actor.key, author_name=actor.name,
            **{name: filled[name] for name in _MESSAGE},
        )  # fmt: skip
        kept = {int(each) for each in filled["kept"]}
        there = set(draft.attachments.values_list("position", flat=True))
        detach_from_draft(draft=draft, positions=there - kept)
        for one in _attached(actor.within(draft.workspace_id), filled, None):
            attach_to_draft(
                draft=draft, filename=one.filename, content_type=one.content_type,
                content=one.content,
            )  # fmt: skip


def _attached(
    actor: Actor, filled: dict[str, Any], message: Message | None
) -> Iterable[NewAttachment]:
    """Yield what was chosen of the files here, of the message, and of the person's machine."""
    try:
        rows = FileNode.objects.visible_to(actor).kept().exclude(blob=None)
        chosen = rows.filter(pk__in=filled["stored"]).select_related("blob").order_by("path_key")
        for node in chosen:
            assert node.blob is not None  # noqa: S101 (the rows have one)
            content_type = node.content_type or media_type_of(node.name)
            yield NewAttachment(node.name, content_type, node.blob.read())
        parts = message.attachments.visible_to(actor) if message else None
        named = parts.filter(pk__in=filled["forwarded"]) if parts is not None else None
        for part in named.select_related("blob") if named is not None else ():
            name = part.filename.replace("/", "_").replace("\\", "_")[-200:] or "attachment"
            yield NewAttachment(name, media_type_of(name), part.blob.read())
    except (FileNotFoundError, ValueError) as error:
        raise DomainError("conflict", _("The content of one of the files is lost.")) from error
    for upload in filled["uploads"] or ():
        yield NewAttachment(upload.name, media_type_of(upload.name), upload.read())
