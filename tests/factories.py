"""Rows for tests, made as the application makes them where it has an operation for it."""

import hashlib
import itertools
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from django.contrib.auth.models import User

from agents.models import Agent, Grant, Token
from inbox.actor import Actor
from inbox.models import (
    Account,
    Activity,
    Correspondence,
    Direction,
    Identity,
    Inbox,
    Mailbox,
    Membership,
    Message,
    Person,
    PersonEmail,
    Role,
    Thread,
    Workspace,
    as_address,
    store_blob,
)
from inbox.operations.activities.activities import classify_messages, keep_activities

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
EVERY_SCOPE = frozenset(
    f"{domain}:{effect}"
    for domain in (
        "inbox", "storage", "comms", "calendar", "admin", "memory", "policy", "time", "control_plane",
    )
    for effect in ("read", "write", "send", "destroy")
)  # fmt: skip
_numbers = itertools.count(1)


def make_workspace(slug: str = "") -> Workspace:
    slug = slug or f"workspace-{next(_numbers)}"
    return Workspace.objects.create(name=slug.title(), slug=slug)


def make_inbox(workspace: Workspace, address: str = "", **account: Any) -> Inbox:
    """Make an account with one identity, one inbox and its usual mailboxes."""
    address = address or f"office{next(_numbers)}@lantern.example"
    made = Account.objects.create(workspace=workspace, address=address, name="Lantern", **account)
    Identity.objects.create(
        workspace=workspace, account=made, email=address, name="Lantern", is_default=True
    )
    inbox = Inbox.objects.create(workspace=workspace, account=made, address=address)
    Mailbox.objects.bulk_create(
        Mailbox(workspace=workspace, inbox=inbox, name=role.title(), role=role)
        for role in ("inbox", "sent", "drafts", "archive", "junk", "trash")
    )
    return inbox


def make_message(
    inbox: Inbox,
    *,
    thread: Thread | None = None,
    sender: str = "ada@customer.example",
    sender_name: str = "Ada Byron",
    subject: str = "A question",
    text: str = "Could you send me the offer by Friday?",
    at: datetime | None = None,
    direction: str = Direction.INBOUND,
    **fields: Any,
) -> Message:
    """Make a message row by hand, in a thread of its own unless one is given."""
    number = next(_numbers)
    at = at or NOON + timedelta(minutes=number)
    header = f"<{number}@customer.example>"
    raw = (
        f"From: {sender_name} <{sender}>\r\nTo: {inbox.address}\r\nSubject: {subject}\r\n"
        f"Message-ID: {header}\r\n\r\n{text}\r\n"
    ).encode()
    thread = thread or Thread.objects.create(
        workspace=inbox.workspace, inbox=inbox, subject=subject, last_message_at=at, updated_at=at
    )
    message = Message.objects.create(
        workspace=inbox.workspace, inbox=inbox, thread=thread,
        blob=store_blob(inbox.workspace_id, raw), direction=direction, message_id_header=header,
        message_id_key=hashlib.sha256(header.encode()).hexdigest()[:32], sent_at=at, received_at=at,
        from_email=sender, from_name=sender_name, subject=subject,
        text=text, new_text=text, snippet=text[:240], size=len(raw),
        **({"to": [as_address(inbox.address)]} | fields),
    )  # fmt: skip
    thread.message_count += 1
    thread.last_message_at = thread.updated_at = max(thread.last_message_at, at)
    if as_address(sender, sender_name) not in thread.participants:
        thread.participants.append(as_address(sender, sender_name))
    thread.save()
    return message


def activities_from_messages(message_ids: Iterable[int]) -> list[Activity]:
    """Make, classify and route an activity for each inbound message that has none; by key."""
    return keep_activities(classify_messages(message_ids))


def make_person(
    workspace: Workspace,
    email: str = "ada@customer.example",
    *,
    account: Account | None = None,
    **fields: Any,
) -> Person:
    """Make somebody with one address, whose counts are the person's own, as mail makes them."""
    times = {"first_contact_at": NOON, "last_contact_at": NOON}
    person = Person.objects.create(workspace=workspace, email=email, **(times | fields))
    counts = {
        name: getattr(person, name)
        for name in (*times, "received_count", "sent_count", "contact_count")
    }
    PersonEmail.objects.create(workspace=workspace, person=person, email=email, **counts)
    if account is not None:
        Correspondence.objects.create(person=person, account=account, **counts)
    return person


def make_agent(workspace: Workspace, name: str = "", inboxes: tuple[Inbox, ...] = ()) -> Agent:
    """Make an agent with grants on the inboxes and a token, of no use, that holds every scope."""
    agent = Agent.objects.create(workspace=workspace, name=name or f"Agent{next(_numbers)}")
    for inbox in inboxes:
        Grant.objects.create(agent=agent, account=inbox.account)
    Token.objects.create(
        workspace=workspace, agent=agent, digest=f"none-{agent.pk}", hint="chy_none",
        scopes=sorted(EVERY_SCOPE),
    )  # fmt: skip
    return agent


def agent_actor(agent: Agent, scopes: frozenset[str] = EVERY_SCOPE) -> Actor:
    return Actor(
        kind="agent",
        id=agent.pk,
        name=agent.name,
        workspace_ids=(agent.workspace_id,),
        account_ids=frozenset(agent.grants.values_list("account_id", flat=True)),
        scopes=scopes,
    )


def make_person_user(workspace: Workspace, role: str = Role.REVIEWER, name: str = "") -> User:
    """Make somebody who signs in, with this role in the workspace; the password is `sealing-wax`."""
    user = User.objects.create_user(
        name or f"person{next(_numbers)}", password="sealing-wax", is_staff=True
    )
    Membership.objects.create(user=user, workspace=workspace, role=role)
    return user


def person_actor(user: User) -> Actor:
    workspaces = tuple(user.memberships.values_list("workspace_id", flat=True))
    return Actor(kind="person", id=user.pk, name=user.username, workspace_ids=workspaces)


def make_lantern() -> dict[str, Any]:
    """Make the rows of the fixtures `workspace`, `inbox`, `agent` and `actor`, by these names."""
    workspace = make_workspace("lantern")
    inbox = make_inbox(workspace, "office@lantern.example")
    agent = make_agent(workspace, "Clerk", (inbox,))
    return {"workspace": workspace, "inbox": inbox, "agent": agent, "actor": agent_actor(agent)}
