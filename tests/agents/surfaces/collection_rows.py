"""Rows of every collection, made by hand: each text of one holds a word, and times go upwards."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from agents.models import Agent, Approval, Receipt, WebhookEndpoint
from agents.models.memory import Memory
from agents.models.mesh import AgentMessage, ContextEntry
from agents.models.schedules import Schedule
from agents.receipts import ReceiptEntry, record
from calendar_app.models import Attendee, Calendar, Event, Todo, TodoList
from inbox.models import (
    Activity,
    Attachment,
    Draft,
    DraftVersion,
    ExtractionSchema,
    FileNode,
    Inbox,
    ReplyPolicy,
    Submission,
    Taxonomy,
    store_blob,
)
from inbox.reasons import own
from tests import factories


@dataclass
class Place:
    """Whose rows they are: the caller's, its account's and its workspace's."""

    inbox: Inbox
    agent: Agent
    word: str = "walnut"

    @property
    def workspace(self):
        return self.inbox.workspace

    @property
    def of_workspace(self):
        return {"workspace": self.workspace}


def at(number):
    return factories.NOON + timedelta(minutes=number)


def inboxes(place, number):
    made = factories.make_inbox(place.workspace, f"{place.word}{number}@example.org")
    place.agent.grants.create(account=made.account)
    return made


def threads(place, number):
    return messages(place, number).thread


def messages(place, number):
    return factories.make_message(
        place.inbox, subject=f"{place.word} {number}", text=f"About the {place.word} {number}",
        sender=f"{place.word}@customer.example", sender_name=place.word, at=at(number),
    )  # fmt: skip


def attachments(place, number):
    blob = store_blob(place.workspace.pk, f"{place.word} {number}".encode())
    message = messages(place, number)
    return Attachment.objects.create(
        **place.of_workspace, message=message, blob=blob, position=0, size=blob.size,
        filename=f"{place.word}-{number}.txt", content_type="text/plain",
        received_at=message.received_at,
    )  # fmt: skip


def drafts(place, number):
    account = place.inbox.account
    author = {"author": f"agent:{place.agent.pk}", "author_name": place.agent.name}
    written = {"subject": f"{place.word} {number}", "body": f"The {place.word}.", **author}
    draft = Draft.objects.create(
        **place.of_workspace, account=account, inbox=place.inbox,
        identity=account.identities.get(), to=[{"email": f"{place.word}@customer.example"}],
        **written,
    )  # fmt: skip
    DraftVersion.objects.create(draft=draft, version=1, to=draft.to, **written)
    return draft


def submissions(place, number):
    mime = f"Subject: {place.word} {number}\r\n\r\nThe {place.word}.\r\n".encode()
    return Submission.objects.create(
        **place.of_workspace, account=place.inbox.account, draft=drafts(place, number),
        draft_version=1, envelope_from=place.inbox.address, mime=mime, size=len(mime),
        envelope_to=[f"{place.word}@customer.example"],
        message_id_header=f"<{place.word}-{place.workspace.pk}-{number}@example.org>",
        sha256=hashlib.sha256(mime).hexdigest(), proposed_by=f"agent:{place.agent.pk}",
        proposed_by_name=place.agent.name, expires_at=at(number + 10**6),
    )  # fmt: skip


def approvals(place, number):
    submission = submissions(place, number)
    return Approval.objects.create(
        **place.of_workspace, agent=place.agent, tool="send_reply", receipt=receipts(place, number),
        arguments={"body_or_draft_id": place.word}, submission=submission, sha256=submission.sha256,
        reason=f"The {place.word} leaves.", expires_at=submission.expires_at,
        place_at=submission.expires_at,
    )  # fmt: skip


def receipts(place, number):
    actor = factories.agent_actor(place.agent)
    entry = ReceiptEntry(
        tool="get_thread", arguments={"about": place.word}, reason=own(f"{place.word} {number}")
    )
    return Receipt.objects.get(pk=record(actor, entry).pk)


def activities(place, number):
    message = messages(place, number)
    return Activity.objects.create(
        **place.of_workspace, source="email", source_id=message.public_id, message=message,
        title=f"{place.word} {number}", content=place.word, created_at=at(number),
        sender=f"{place.word}@customer.example", status="surfaced", autonomy_tier=4,
    )  # fmt: skip


def people(place, number):
    return factories.make_person(
        place.workspace, f"{place.word}{number}@customer.example", account=place.inbox.account,
        fn=f"{place.word} {number}",
    )  # fmt: skip


def calendars(place, number):
    return Calendar.objects.create(
        **place.of_workspace, account=place.inbox.account, name=f"{place.word} {number:03}"
    )


def events(place, number):
    calendar, _ = Calendar.objects.get_or_create(
        **place.of_workspace, account=place.inbox.account, name=place.word
    )
    event = Event.objects.create(
        **place.of_workspace, calendar=calendar, uid=f"{place.word}-{number}", dtstart=at(number),
        dtend=at(number + 30), summary=f"{place.word} {number}", location=place.word,
    )  # fmt: skip
    Attendee.objects.create(event=event, email=f"{place.word}@customer.example")
    return event


def todos(place, number):
    held, _ = TodoList.objects.get_or_create(**place.of_workspace, name=place.word)
    return Todo.objects.create(
        **place.of_workspace, list=held, uid=f"{place.word}-{number}", summary=f"{place.word}",
        due=at(number) if number % 2 else None, created_by=f"agent:{place.agent.pk}",
    )  # fmt: skip


def files(place, number):
    blob = store_blob(place.workspace.pk, f"{place.word} {number}".encode())
    name = f"{place.word}-{number}.txt"
    return FileNode.objects.create(
        **place.of_workspace, account=place.inbox.account, kind="file", name=name, path=f"/{name}",
        path_key=f"/{name}", blob=blob, size=blob.size, content_type="text/plain", version=1,
        modified_at=at(number),
    )  # fmt: skip


def agents(place, number):
    return factories.make_agent(place.workspace, f"{place.word} {number:03}")


def webhooks(place, number):
    return WebhookEndpoint.objects.create(
        workspace=place.workspace, url=f"https://hooks{number}.example/x", secret=b"x",
        description=f"{place.word} {number}",
    )  # fmt: skip


def contexts(place, number):
    return ContextEntry.objects.create(
        **place.of_workspace, key=f"{place.word}:{number:03}", author=place.agent, is_open=False,
        text=f'{{"about": "{place.word}", "nothing": null}}',
    )  # fmt: skip


def agent_messages(place, number):
    return AgentMessage.objects.create(
        **place.of_workspace, sender=place.agent, recipient=place.agent,
        text=f"{place.word} {number}",
    )  # fmt: skip


def memories(place, number):
    content = f"{place.word} {number}"
    return Memory.objects.create(
        **place.of_workspace, agent=place.agent, content=content, terms=content,
        sha256=hashlib.sha256(content.encode()).hexdigest(),
    )  # fmt: skip


def schedules(place, number):
    return Schedule.objects.create(
        **place.of_workspace, agent=place.agent, command=f"{place.word} {number}",
        trigger_at=at(number), payload={"about": place.word},
    )  # fmt: skip


def taxonomies(place, number):
    return _taught(Taxonomy, place, number, source=f"intents: [{place.word}]")


def policies(place, number):
    return _taught(ReplyPolicy, place, number, source=f"forbidden: [{place.word}]")


def schemas(place, number):
    return _taught(ExtractionSchema, place, number, schema={"title": place.word})


def _taught(model, place, number, **content):
    return model.objects.create(**place.of_workspace, name=f"{place.word} {number:03}", **content)


MAKERS: dict[str, Callable[[Place, int], Any]] = {
    "inboxes": inboxes, "threads": threads, "messages": messages, "attachments": attachments,
    "drafts": drafts, "submissions": submissions, "approvals": approvals, "receipts": receipts,
    "activities": activities, "people": people, "calendars": calendars, "events": events,
    "todos": todos, "files": files, "agents": agents, "contexts": contexts,
    "agent-messages": agent_messages, "memories": memories, "schedules": schedules,
    "taxonomies": taxonomies, "policies": policies, "schemas": schemas, "webhooks": webhooks,
}  # fmt: skip
