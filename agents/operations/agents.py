"""Agents, their tokens and grants; and who a token is."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents.contracts import REGISTRY, RESOURCES
from agents.dispatching.rate_limit import BUCKETS
from agents.dispatching.statements import find_token
from agents.errors import ToolError
from agents.models import Agent, Grant, Token
from agents.models.mesh import PERSON_PREFIX
from inbox.actor import Actor
from inbox.errors import DomainError, invalid
from inbox.models import Inbox, Workspace
from inbox.reasons import phrase as _

_PREFIX = "chy_"
# The last use is noted this seldom: a write for every read would be dear.
_NOTED_EVERY = timedelta(minutes=1)
_LONGEST_NAME = 100


def create_agent(
    *,
    workspace: Workspace,
    name: str,
    scopes: Iterable[str],
    inboxes: Iterable[Inbox],
    created_by: User | None = None,
    expires_at: datetime | None = None,
) -> tuple[Agent, str]:
    """Make an agent with a token and a grant on each inbox's account; return it and the token.

    The token is shown this once. Raises DomainError for an unknown scope, an inbox of another
    workspace, or (`conflict`) a name that is taken.
    """
    name, chosen = name.strip(), list(inboxes)
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise invalid(
            "name", _("Enter a name."), _("at most %(most)s characters", most=_LONGEST_NAME)
        )
    if name.lower().startswith(PERSON_PREFIX):
        raise invalid(
            "name",
            _("Only people have such names."),
            _("one without %(prefix)s", prefix=repr(PERSON_PREFIX)),
        )
    if any(inbox.workspace_id != workspace.pk for inbox in chosen):
        raise invalid(
            "inbox", _("An inbox does not belong to the workspace %(slug)s.", slug=workspace.slug)
        )
    with transaction.atomic():
        if Agent.objects.filter(workspace=workspace, name=name).exists():
            raise DomainError(
                "conflict", _("An agent %(name)s already exists.", name=repr(name)), field="name"
            )
        agent = Agent.objects.create(workspace=workspace, name=name, created_by=created_by)
        accounts = {inbox.account_id for inbox in chosen}
        Grant.objects.bulk_create(Grant(agent=agent, account_id=key) for key in sorted(accounts))
        text = create_token(agent=agent, scopes=scopes, expires_at=expires_at)[1]
    return agent, text


def create_token(
    *, agent: Agent, scopes: Iterable[str], expires_at: datetime | None = None
) -> tuple[Token, str]:
    """Give an agent a token; only its hash is kept. Raises DomainError for an unknown scope."""
    wanted = sorted(set(scopes))
    known = known_scopes()
    for scope in wanted:
        if scope not in known:
            raise invalid(
                "scope", _("%(scope)s is not a scope.", scope=repr(scope)), ", ".join(known)
            )
    text = _PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        workspace_id=agent.workspace_id, agent=agent, digest=_digest(text), hint=text[:10],
        scopes=wanted, expires_at=expires_at,
    )  # fmt: skip
    return token, text


def known_scopes() -> list[str]:
    """Return the scopes that some tool needs."""
    return sorted({tool.scope for registry in (REGISTRY, RESOURCES) for tool in registry.tools})


def authenticate(token_text: str) -> Actor:
    """Return who the bearer of the token is, in one query.

    Raises ToolError `unauthenticated`, or `rate_limited` where the token calls too often.
    """
    digest = _digest(token_text)
    BUCKETS.spend(digest)
    token = find_token(digest)
    now = timezone.now()
    if token is None:
        raise ToolError("unauthenticated", "There is no such token")
    if token.revoked_at is not None:
        raise ToolError("unauthenticated", "The token was revoked")
    if token.expires_at is not None and token.expires_at <= now:
        raise ToolError("unauthenticated", "The token has expired")
    BUCKETS.open(digest)
    if token.last_used_at is None or now - token.last_used_at > _NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - _NOTED_EVERY)
        Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    return Actor(
        kind="agent",
        id=token.agent_id,
        name=token.agent_name,
        workspace_ids=(token.workspace_id,),
        account_ids=token.account_ids,
        scopes=token.scopes,
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
