"""An email as a call writes it: a new one, or a draft written anew."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from agents.approval.plan import MailContent
from agents.approval.sealing import check_not_paused
from agents.dispatching.rows import get_inbox_of
from agents.tools.mail.plans import content_of_draft, folded
from inbox.actor import Actor
from inbox.compose.outgoing import plain_line_ends
from inbox.errors import DomainError
from inbox.models import Account, Draft, Identity, Message
from inbox.operations.drafts.writing import (
    NewAttachment,
    attach_to_draft,
    create_draft,
    detach_from_draft,
    revise_draft,
)


@dataclass(frozen=True)
class Written:
    """What an email says; `cc` and `files` of None stay as the draft has them.

    `original` is the message that it forwards. `alone` names the fields in which one address stood
    by itself.
    """

    account: Account
    identity: Identity
    to: Sequence[str]
    cc: Sequence[str] | None
    subject: str
    body: str
    files: Sequence[NewAttachment] | None
    draft: Draft | None
    original: Message | None
    alone: frozenset[str] = frozenset()

    @property
    def content(self) -> MailContent:
        """What would be sent, by which a proposal is known again."""
        kept = content_of_draft(self.draft) if self.draft else None
        return MailContent(
            sender=folded([self.identity.email])[0], to=folded(self.to),
            cc=folded(self.cc or ()) if self.cc is not None or kept is None else kept.cc,
            bcc=kept.bcc if kept else (), subject=self.subject, body=plain_line_ends(self.body),
            thread=kept.thread if kept else "",
            files=_hashes(self.files) if self.files is not None or kept is None else kept.files,
        )  # fmt: skip

    def store(self, actor: Actor) -> Draft:
        """Store it as a draft; raises DomainError, which names the field as the call has it."""
        try:
            return self._rewrite(actor, self.draft) if self.draft else self._write(actor)
        except DomainError as error:
            name, _, _ = error.field.partition("/")
            field = name if name in self.alone else error.field
            raise DomainError(
                error.code, error.message, field=field, accepted=error.accepted
            ) from error

    def _write(self, actor: Actor) -> Draft:
        inbox = get_inbox_of(self.account)
        check_not_paused(inbox)
        return create_draft(
            actor=actor, inbox=inbox, identity=self.identity, to=self.to, cc=self.cc or (),
            subject=self.subject, body=self.body, attachments=self.files or (), may_be_empty=True,
            cited=[self.original] if self.original else (),
        )  # fmt: skip

    def _rewrite(self, actor: Actor, draft: Draft) -> Draft:
        check_not_paused(draft.inbox)
        with transaction.atomic():
            if draft.identity_id != self.identity.pk:
                Draft.objects.filter(pk=draft.pk).update(identity=self.identity)
            revised = revise_draft(
                draft=draft, author_key=actor.key, author_name=actor.name, to=self.to, cc=self.cc,
                subject=self.subject, body=self.body,
            )  # fmt: skip
            if self.original:
                revised.cited.add(self.original)
            if self.files is not None:
                self._replace_files(revised, self.files)
            return Draft.objects.select_related("identity", "thread").get(pk=draft.pk)

    @staticmethod
    def _replace_files(draft: Draft, files: Sequence[NewAttachment]) -> None:
        detach_from_draft(
            draft=draft, positions=set(draft.attachments.values_list("position", flat=True))
        )
        for one in files:
            attach_to_draft(
                draft=draft, filename=one.filename, content_type=one.content_type,
                content=one.content,
            )  # fmt: skip


def _hashes(files: Sequence[NewAttachment] | None) -> tuple[tuple[str, str], ...]:
    # A path says nothing of what it names.
    return tuple((one.filename, hashlib.sha256(one.content).hexdigest()) for one in files or ())
