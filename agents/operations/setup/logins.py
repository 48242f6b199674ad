"""What a person needs to begin with: a login for the reviewer and an agent with a token."""

import secrets
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from agents.models import Agent
from agents.operations.agents import create_agent, known_scopes
from inbox.models import Inbox, Membership, Role

REVIEWER = "reviewer"
AGENT = "Clerk"


@dataclass(frozen=True, slots=True)
class Keys:
    """What is shown once. `password` is empty where the reviewer had one already."""

    username: str
    password: str
    agent: str
    token: str


def open_desk(*, inbox: Inbox) -> Keys | None:
    """Give the inbox's workspace its reviewer and its agent; None where it has agents already.

    The agent has every scope: what it sends waits for a person, and what it deletes can be
    restored. Password and token are random, and only their hashes are kept.
    """
    workspace = inbox.workspace
    with transaction.atomic():
        if Agent.objects.filter(workspace=workspace).exists():
            return None
        reviewer, password = _reviewer()
        Membership.objects.get_or_create(
            user=reviewer, workspace=workspace, defaults={"role": Role.OWNER}
        )
        agent, token = create_agent(
            workspace=workspace,
            name=AGENT,
            scopes=known_scopes(),
            inboxes=[inbox],
            created_by=reviewer,
        )
    return Keys(reviewer.username, password, agent.name, token)


def _reviewer() -> tuple[User, str]:
    """Return the first person, and their password if they are made only now."""
    known = User.objects.filter(username=REVIEWER).first()
    if known is not None:
        return known, ""
    password = secrets.token_urlsafe(12)
    return User.objects.create_user(REVIEWER, password=password, is_staff=True), password
