"""A draft that is made up, marked before anything else is made of it: nothing of it ever leaves."""

from django.db import transaction

from inbox.actor import Actor
from inbox.compose.outgoing import AddressList, check_body, check_recipients, check_subject
from inbox.models import Draft, DraftVersion, PlantedDraft
from inbox.operations.drafts.replying import ReplyPlan


def plant_draft(
    *, author: Actor, plan: ReplyPlan, body: str, subject: str = "", calendar: str = "",
    to: AddressList | None = None, cc: AddressList | None = None,
) -> Draft:  # fmt: skip
    """Store a planted answer to the message of a plan, in the name of an agent.

    No fact is published: whoever listens for drafts hears nothing. With a `calendar` it begins a
    thread, as invitations do. Raises DomainError where an address or a text cannot be taken.
    """
    message, inbox = plan.in_reply_to, plan.in_reply_to.inbox
    to, cc = plan.to if to is None else to, plan.cc if cc is None else cc
    recipients = check_recipients(to=to, cc=cc, bcc=[])
    draft = Draft(
        workspace_id=inbox.workspace_id, account_id=inbox.account_id, inbox=inbox,
        identity=plan.identity, thread=None if calendar else message.thread,
        in_reply_to=None if calendar else message, author=author.key, author_name=author.name,
        subject=check_subject(subject or plan.subject), body=check_body(body), calendar=calendar,
        **recipients,
    )  # fmt: skip
    with transaction.atomic():
        draft.save(force_insert=True)
        PlantedDraft.objects.create(draft=draft)
        DraftVersion.objects.create(
            draft=draft, version=draft.version, author=draft.author, author_name=draft.author_name,
            to=draft.to, cc=draft.cc, subject=draft.subject, body=draft.body,
        )  # fmt: skip
    return draft
