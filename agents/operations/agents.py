"""Agents, their tokens and grants; and who a token is."""

import hashlib
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from agents.contracts import REGISTRY, RESOURCES
from agents.dispatching.rate_limit import BUCKETS
from agents.dispatching.statements import Standing, TokenRow, find_token
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
# What most agents need: to read mail, draft answers and propose them. Clients that sign in are told
# to ask for this.
BASIC_SCOPES = (
    "comms:read", "comms:send", "comms:write", "control_plane:read", "inbox:read", "inbox:write",
    "memory:read", "memory:write", "policy:read", "storage:read", "time:read",
)  # fmt: skip
_OWN_PROPOSALS = frozenset({"list_approvals", "get_approval"})


def create_agent(
    *,
    workspace: Workspace,
    name: str,
    scopes: Iterable[str],
    inboxes: Iterable[Inbox],
    tools: Iterable[str] = (),
    created_by: User | None = None,
    expires_at: datetime | None = None,
) -> tuple[Agent, str]:
    """Make an agent with a token and a grant on each inbox's account; return it and the token.

    The token is shown this once. Raises DomainError for an unknown scope or tool, an inbox of
    another workspace, or (`conflict`) a name that is taken.
    """
    with transaction.atomic():
        agent = create_bare_agent(
            workspace_id=workspace.pk, name=name, inboxes=inboxes, created_by=created_by
        )
        text = create_token(agent=agent, scopes=scopes, tools=tools, expires_at=expires_at)[1]
    return agent, text


def create_bare_agent(
    *, workspace_id: int, name: str, inboxes: Iterable[Inbox], created_by: User | None = None
) -> Agent:
    """Make an agent without a token, with a grant on each inbox's account.

    Raises DomainError for an inbox of another workspace, or (`conflict`) a name that is taken.
    """
    name, chosen = _read_name(name), list(inboxes)
    if any(inbox.workspace_id != workspace_id for inbox in chosen):
        slug = Workspace.objects.values_list("slug", flat=True).get(pk=workspace_id)
        raise invalid("inbox", _("An inbox does not belong to the workspace %(slug)s.", slug=slug))
    with transaction.atomic():
        if Agent.objects.filter(workspace_id=workspace_id, name=name).exists():
            raise DomainError(
                "conflict", _("An agent %(name)s already exists.", name=repr(name)), field="name"
            )
        agent = Agent.objects.create(workspace_id=workspace_id, name=name, created_by=created_by)
        accounts = {inbox.account_id for inbox in chosen}
        Grant.objects.bulk_create(Grant(agent=agent, account_id=key) for key in sorted(accounts))
    return agent


def _read_name(given: str) -> str:
    """Return the name of an agent without the blanks around it; raises DomainError for none."""
    name = given.strip()
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
    return name


def create_token(
    *,
    agent: Agent,
    scopes: Iterable[str],
    tools: Iterable[str] = (),
    expires_at: datetime | None = None,
) -> tuple[Token, str]:
    """Give an agent a token; only its hash is kept.

    `tools` are names as lists of tools have them: the token is for these alone, where any is given.
    Raises DomainError for an unknown scope or tool.
    """
    wanted, text = check_scopes(scopes), new_text()
    token = Token.objects.create(
        workspace_id=agent.workspace_id, agent=agent, digest=digest_of(text), hint=hint_of(text),
        scopes=wanted, tools=operations_behind(tools), expires_at=expires_at,
    )  # fmt: skip
    return token, text


def check_scopes(scopes: Iterable[str]) -> list[str]:
    """Return the scopes in order, each once. Raises DomainError for an unknown one."""
    wanted, known = sorted(set(scopes)), known_scopes()
    for scope in wanted:
        if scope not in known:
            raise invalid(
                "scope", _("%(scope)s is not a scope.", scope=repr(scope)), ", ".join(known)
            )
    return wanted


def new_text() -> str:
    """Return the text of a new token."""
    return _PREFIX + secrets.token_urlsafe(32)


def hint_of(text: str) -> str:
    """Return what of a token's text is kept, to tell one from another."""
    return text[:10]


def operations_behind(names: Iterable[str]) -> list[str]:
    """Return the operations behind names of tools; a verb stands for all of its own.

    What tells an agent of its own proposals goes with any other. Raises
    DomainError for a name that no tool has.
    """
    known = {declared.name: declared.tools for declared in REGISTRY}
    known |= {tool.name: (tool,) for registry in (REGISTRY, RESOURCES) for tool in registry.tools}
    found: set[str] = set()
    for name in names:
        if name not in known:
            raise invalid(
                "tool", _("%(tool)s is not a tool.", tool=repr(name)), ", ".join(sorted(known))
            )
        found.update(tool.name for tool in known[name])
    return sorted(found | _OWN_PROPOSALS) if found else []


def known_scopes() -> list[str]:
    """Return the scopes that some tool needs."""
    return sorted({tool.scope for registry in (REGISTRY, RESOURCES) for tool in registry.tools})


class Bearer(NamedTuple):
    """Who calls, and whether by a client that signed in: it can sign in again, for more scopes."""

    actor: Actor
    has_signed_in: bool
    # As of now: for the call that this request makes, and no later one.
    standing: Standing


def authenticate(token_text: str) -> Actor:
    """Return who the bearer of the token is, in one query; see `identify`."""
    return identify(token_text).actor


def identify(token_text: str, address: str = "") -> Bearer:
    """Return who the bearer of the token is, in one query.

    `address` is where it is used, for a token of a client that signed in: it opens the address that
    it was given for (RFC 8707, section 2) and those below it, and no other.
    Raises ToolError `unauthenticated`, or `rate_limited` where the token calls too often.
    """
    digest = digest_of(token_text)
    BUCKETS.spend(digest)
    token = find_token(digest)
    now = timezone.now()
    if token is None:
        raise ToolError("unauthenticated", "There is no such token")
    if token.revoked_at is not None:
        raise ToolError("unauthenticated", "The token was revoked")
    if token.expires_at is not None and token.expires_at <= now:
        raise ToolError("unauthenticated", "The token has expired")
    if token.audience:
        _check_connected(token, address, now)
    BUCKETS.open(digest)
    if token.last_used_at is None or now - token.last_used_at > _NOTED_EVERY:
        stale = Q(last_used_at=None) | Q(last_used_at__lt=now - _NOTED_EVERY)
        Token.objects.filter(stale, pk=token.pk).update(last_used_at=now)
    actor = Actor(
        kind="agent",
        id=token.agent_id,
        name=token.agent_name,
        workspace_ids=(token.workspace_id,),
        account_ids=token.account_ids,
        scopes=token.scopes,
        tools=token.tools,
    )
    return Bearer(actor, bool(token.audience), token.standing)


def _check_connected(token: TokenRow, address: str, now: datetime) -> None:
    """Refuse the token of a client that signed in elsewhere, or once it is to be renewed."""
    if not f"{address}/".startswith(f"{token.audience}/"):
        raise ToolError("unauthenticated", "The token is for another address")
    if token.renew_at is None or token.renew_at <= now:
        raise ToolError("unauthenticated", "The token has expired")


def digest_of(text: str) -> str:
    """Return what is kept of a token's text, by which it is found."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
