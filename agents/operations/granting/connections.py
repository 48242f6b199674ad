"""Programs that people signed in: promised a token by a code, given it once, renewed, ended.

Of an authorization server's protocol nothing is known here: only of our rows, and that the text of
a token is another after each renewal.
"""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from agents import receipts
from agents.models import Agent, Connection, Token
from agents.operations.agents import check_scopes, digest_of, hint_of
from agents.receipts import ReceiptEntry
from inbox.actor import system_actor
from inbox.errors import DomainError
from inbox.reasons import ReasonText, say
from inbox.reasons import phrase as _

# How long a text opens its address, and how long a client may stay away before it is asked anew.
OPENS = timedelta(hours=1)
LASTS = timedelta(days=30)
# A code is good for a minute; what it promised is kept a while longer, and then thrown away.
_UNCLAIMED = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Promise:
    """What a person agreed to: which agent a program acts as, and where.

    `client_name` is what the program calls itself, `host` where its name was read, if it was.
    """

    agent: Agent
    person: User
    client_name: str
    host: str
    audience: str


def keep_promise(promise: Promise, code: str) -> Connection:
    """Keep what a code is good for; the code itself is not kept."""
    return Connection.objects.create(
        workspace_id=promise.agent.workspace_id, agent=promise.agent, person=promise.person,
        client_name=promise.client_name, host=promise.host, audience=promise.audience,
        code_digest=digest_of(code),
    )  # fmt: skip


@transaction.atomic
def claim(code: str, text: str, scopes: Iterable[str]) -> Connection:
    """Give a code's connection its token, of this text.

    Raises DomainError `conflict` where there is none, or it has its token already.
    """
    rows = Connection.objects.select_for_update()
    connection = rows.filter(code_digest=digest_of(code), token=None).first()
    if connection is None:
        raise DomainError("conflict", _("The code was used already."), field="code")
    now = timezone.now()
    connection.token = Token.objects.create(
        workspace_id=connection.workspace_id, agent_id=connection.agent_id, digest=digest_of(text),
        hint=hint_of(text), scopes=check_scopes(scopes), audience=connection.audience,
        renew_at=now + OPENS, expires_at=now + LASTS,
    )  # fmt: skip
    connection.save(update_fields=["token"])
    return connection


def name_family(connection: Connection, family: uuid.UUID) -> None:
    """Note what the texts that renew its token have in common."""
    connection.family = family
    connection.save(update_fields=["family"])


def is_renewable(family: uuid.UUID | None) -> bool:
    """Return True if the token of a family is there, and neither revoked nor expired."""
    return _live(family).exists()


@transaction.atomic
def renew(family: uuid.UUID | None, text: str, scopes: Iterable[str]) -> None:
    """Give the token of a family another text, by which the one before opens nothing any more.

    Raises DomainError `conflict` where it was revoked, or has expired.
    """
    token = _live(family).select_for_update(of=("self",)).first()
    if token is None:
        raise DomainError("conflict", _("The token was revoked."), field="refresh_token")
    now = timezone.now()
    token.digest, token.hint, token.scopes = digest_of(text), hint_of(text), check_scopes(scopes)
    token.renew_at, token.expires_at = now + OPENS, now + LASTS
    token.save(update_fields=["digest", "hint", "scopes", "renew_at", "expires_at"])


def _live(family: uuid.UUID | None) -> QuerySet[Token]:
    live = Token.objects.filter(revoked_at=None, expires_at__gt=timezone.now())
    return live.filter(connection__family=family, connection__family__isnull=False)


def end_by_family(family: uuid.UUID | None, reason: str) -> None:
    """Revoke the token of a family, if it has one; `reason` is a code of receipts."""
    if family is not None:
        _end(Connection.objects.filter(family=family), reason)


def end_by_code(code: str, reason: str) -> None:
    """Revoke the token that a code was good for, if it has one."""
    _end(Connection.objects.filter(code_digest=digest_of(code)), reason)


@transaction.atomic
def _end(rows: QuerySet[Connection], reason: str) -> None:
    found = rows.select_related("agent").first()
    if found is None:
        return
    live = Token.objects.filter(connection=found, revoked_at=None)
    # Nothing to do for one that is over, or that was promised a token and never had it.
    if not live.update(revoked_at=timezone.now()):
        return
    arguments = {"agent_id": found.agent.public_id, "token_id": found.token_id}
    words = _words_of(reason, found)
    actor = system_actor(found.workspace_id, "connections")
    receipts.record(actor, ReceiptEntry(tool="revoke_token", arguments=arguments, reason=words))


def _words_of(reason: str, ended: Connection) -> ReasonText:
    client, agent = ended.client_name or ended.host, ended.agent.name
    if reason == "client_used_twice":
        return say("client_used_twice", client=client, agent=agent)
    return say("client_left", client=client, agent=agent)


def forget_unclaimed() -> None:
    """Throw away what was promised and never claimed."""
    old = timezone.now() - _UNCLAIMED
    Connection.objects.filter(token=None, created_at__lt=old).delete()
