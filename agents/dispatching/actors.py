"""Whom an agent acts as: its tokens as they stand now, and its grants."""

from collections.abc import Sequence

from django.utils import timezone

from agents.models import Agent, Grant, Token
from inbox.actor import Actor


def current_actor(agent: Agent) -> Actor:
    """Return what the agent may do by all of its tokens as they stand now, and its grants.

    What stands in for a person acts as that person.
    """
    if agent.person is not None:
        name, places = agent.person.get_username(), (agent.workspace_id,)
        return Actor(kind="person", id=agent.person.pk, name=name, workspace_ids=places)
    now = timezone.now()
    tokens = Token.objects.filter(agent=agent, revoked_at=None)
    alive = [token for token in tokens if token.expires_at is None or token.expires_at > now]
    return Actor(
        kind="agent",
        id=agent.pk,
        name=agent.name,
        workspace_ids=(agent.workspace_id,),
        account_ids=frozenset(
            Grant.objects.filter(agent=agent).values_list("account_id", flat=True)
        ),
        scopes=frozenset(scope for token in alive for scope in token.scopes),
        tools=_tools_of(alive),
    )


def _tools_of(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the only tools that any of the tokens is for; empty where one is for all."""
    if any(not token.tools for token in tokens):
        return frozenset()
    return frozenset(name for token in tokens for name in token.tools)
