"""An agent asks for an account; a person grants or refuses it by its code (RFC 8628)."""

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from agents import receipts
from agents.errors import ToolError, not_found
from agents.models import DeviceFlow, FlowState, Grant, WrongCode
from agents.receipts import ReceiptEntry
from inbox.actor import Actor
from inbox.background.periodic import periodic
from inbox.errors import DomainError
from inbox.models import Account, Workspace
from inbox.operations.accounts.accounts import create_account
from inbox.reasons import phrase as _
from inbox.reasons import say

LIFETIME = timedelta(seconds=900)
# RFC 8628 6.1: no vowels, so that no word comes of it; 20 to the eighth are 34 bits.
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
CODE_LENGTH = 8
# A code is guessed with these tries in a lifetime once in 2.5 thousand million (RFC 8628 5.1).
MOST_WRONG = 10
MOST_PENDING = 5
_KEEP = timedelta(days=1)
_REMOVED_AT_ONCE = 1000
# Over 200 characters, so that receipts keep only its hash.
_RANDOM_BYTES = 160
_ENDED = {
    FlowState.DENIED: "A person refused it",
    FlowState.USED: "It was completed already",
}


class CodeError(Exception):
    """Why a code that a person typed leads nowhere, in words."""


def start_flow(*, actor: Actor) -> tuple[DeviceFlow, str]:
    """Begin a flow for an agent; return it and its device code, of which only a hash is kept.

    Raises ToolError `rate_limited` where too many of the agent's flows wait for a person, and
    `permission_denied` for who is no agent.
    """
    if actor.kind != "agent":
        raise ToolError("permission_denied", "Agents ask for accounts, and people grant them")
    now = timezone.now()
    waiting = DeviceFlow.objects.visible_to(actor).filter(
        agent_id=actor.id, state=FlowState.PENDING, expires_at__gt=now
    )
    expiries = list(waiting.order_by("expires_at").values_list("expires_at", flat=True))
    if len(expiries) >= MOST_PENDING:
        wait = int((expiries[0] - now).total_seconds()) + 1
        raise ToolError(
            "rate_limited", f"{len(expiries)} requests for accounts wait for a person already",
            {"retry_after": wait},
        )  # fmt: skip
    code = secrets.token_urlsafe(_RANDOM_BYTES)
    return _insert(actor, code, now + LIFETIME), code


def _insert(actor: Actor, code: str, expires_at: datetime) -> DeviceFlow:
    while True:
        user_code = "".join(secrets.choice(LETTERS) for _ in range(CODE_LENGTH))
        try:
            with transaction.atomic():
                return DeviceFlow.objects.create(
                    workspace_id=actor.workspace_id, agent_id=actor.id, digest=_digest(code),
                    user_code=user_code, expires_at=expires_at,
                )  # fmt: skip
        except IntegrityError:
            continue


def complete_flow(*, actor: Actor, device_code: str) -> Account | None:
    """Return the account that a person granted, once; None while nobody has decided.

    Raises ToolError `not_found` for a code that is none or another agent's, and `conflict` for one
    that expired, was refused or was completed before.
    """
    rows = DeviceFlow.objects.visible_to(actor).filter(agent_id=actor.id)
    flow = rows.select_related("account").filter(digest=_digest(device_code)).first()
    if flow is None:
        raise not_found("flow", "/flow_cache")
    if flow.state in _ENDED:
        raise _ended(_ENDED[FlowState(flow.state)], flow.state)
    if flow.state == FlowState.PENDING:
        if flow.expires_at <= timezone.now():
            raise _ended("Nobody decided in time; it has expired", "expired")
        return None
    granted = DeviceFlow.objects.filter(pk=flow.pk, state=FlowState.GRANTED)
    if not granted.update(state=FlowState.USED):
        raise _ended(_ENDED[FlowState.USED], FlowState.USED)
    return flow.account


def _ended(words: str, state: str) -> ToolError:
    return ToolError("conflict", words, {"pointer": "/flow_cache", "state": str(state)})


def written(user_code: str) -> str:
    """Return a code as people read it: `BCDF-GHJK`."""
    return f"{user_code[:4]}-{user_code[4:]}"


def find_flow(*, by: User, workspace_ids: list[int], typed: str) -> DeviceFlow:
    """Return the flow that waits under this code in a workspace that the person sets up.

    Raises CodeError; a wrong code counts, and after too many of them no code is looked at.
    """
    now = timezone.now()
    if WrongCode.objects.filter(user=by, at__gt=now - LIFETIME).count() >= MOST_WRONG:
        raise CodeError(_("Too many wrong codes. Wait 15 minutes and try again."))
    code = "".join(letter for letter in typed.upper()[:50] if letter.isalnum())
    rows = DeviceFlow.objects.filter(workspace_id__in=workspace_ids, user_code=code)
    flow = rows.select_related("agent", "workspace").first()
    if flow is None:
        WrongCode.objects.create(user=by, at=now)
        raise CodeError(_("No request has this code. Compare it with the one the agent shows."))
    if flow.state != FlowState.PENDING:
        raise CodeError(_("This request was already decided."))
    if flow.expires_at <= now:
        raise CodeError(_("This request has expired. The agent can ask again."))
    return flow


def grant(*, flow: DeviceFlow, by: Actor, account: Account) -> None:
    """Grant the agent an account of the workspace; raises DomainError where it is too late."""
    with transaction.atomic():
        _decide(flow, by, FlowState.GRANTED, account)
        Grant.objects.get_or_create(agent_id=flow.agent_id, account=account)
        _record(flow, by, "grant_account", {"account_id": account.public_id})


def grant_new(*, flow: DeviceFlow, by: Actor, address: str, name: str) -> Account:
    """Make a built-in account and grant it; raises DomainError as `create_account` does."""
    with transaction.atomic():
        workspace: Workspace = flow.workspace
        account = create_account(workspace=workspace, address=address, name=name)
        grant(flow=flow, by=by, account=account)
    return account


def refuse(*, flow: DeviceFlow, by: Actor) -> None:
    """Refuse it; raises DomainError where it is too late."""
    with transaction.atomic():
        _decide(flow, by, FlowState.DENIED, None)
        _record(flow, by, "refuse_account", {})


def _decide(flow: DeviceFlow, by: Actor, state: FlowState, account: Account | None) -> None:
    now = timezone.now()
    open_still = DeviceFlow.objects.filter(pk=flow.pk, state=FlowState.PENDING, expires_at__gt=now)
    if not open_still.update(state=state, account=account, decided_by_id=by.id, decided_at=now):
        raise DomainError("conflict", _("This request was already decided or has expired."))


def _record(flow: DeviceFlow, by: Actor, tool: str, arguments: dict[str, str]) -> None:
    receipts.record(
        by,
        ReceiptEntry(
            tool=tool,
            arguments={"flow_id": flow.public_id, "agent_id": flow.agent.public_id, **arguments},
            reason=say("decided_request", person=by.name, agent=flow.agent.name),
        ),
    )


@periodic(600)
def remove_old_flows(now: datetime | None = None) -> int:
    """Remove flows and wrong codes that no longer matter, some at a time; return how many flows."""
    before = (now or timezone.now()) - _KEEP
    codes = WrongCode.objects.filter(at__lt=before).values_list("pk", flat=True)
    WrongCode.objects.filter(pk__in=list(codes[:_REMOVED_AT_ONCE])).delete()
    flows = DeviceFlow.objects.filter(expires_at__lt=before).values_list("pk", flat=True)
    return DeviceFlow.objects.filter(pk__in=list(flows[:_REMOVED_AT_ONCE])).delete()[0]


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "replace")).hexdigest()
