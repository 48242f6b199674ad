"""The accounts an agent works with, and asking a person for another one."""

from typing import Annotated, Literal, TypeAlias

from django.conf import settings
from django.urls import reverse
from pydantic import Field, RootModel

from agents.contracts import Effect, tool
from agents.contracts.fields import Closed, OrAbsent
from agents.operations.granting.device_flows import LIFETIME, complete_flow, start_flow, written
from inbox.actor import Actor
from inbox.models import Account
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS

AccountType: TypeAlias = Literal["personal", "work_school", "unknown"]
_MOST = 500


class NoArguments(Closed):
    """Nothing."""


class AccountShape(Closed):
    """An account: its address, and the id by which every other operation names it."""

    username: str
    account_id: str
    account_type: AccountType


class AccountList(RootModel[list[AccountShape]]):
    """The accounts that the caller was granted."""


@tool(
    family="operations", domain="admin", effect=Effect.READ, shows=False,
    unified=[("auth", "list")],
)  # fmt: skip
def account_list(actor: Actor, args: NoArguments) -> AccountList:
    """List the accounts that a person granted the caller, by address."""
    rows = Account.objects.visible_to(actor).order_by("address", "id")
    return AccountList([_shape(account) for account in rows[:_MOST]])


class AuthenticationRequired(Closed):
    """What a person has to do, and what to call `account_complete_auth` with afterwards."""

    status: Literal["authentication_required"]
    verification_url: str
    # What the person types there.
    device_code: str
    # In seconds.
    expires_in: int
    instructions: str
    flow_cache: str = Field(alias="_flow_cache")


@tool(
    family="operations", domain="admin", effect=Effect.WRITE, unified=[("auth", "authenticate")],
)  # fmt: skip
def account_authenticate(actor: Actor, args: NoArguments) -> AuthenticationRequired:
    """Ask for an account: a person opens the page, enters the code and grants one, or refuses.

    Show the person `instructions`, then call `account_complete_auth` with `_flow_cache` every few
    seconds until it no longer answers `pending`.
    """
    flow, code = start_flow(actor=actor)
    url = settings.BASE_URL + reverse("device")
    shown = written(flow.user_code)
    minutes = LIFETIME.seconds // 60
    return AuthenticationRequired(
        status="authentication_required",
        verification_url=url,
        device_code=shown,
        expires_in=LIFETIME.seconds,
        instructions=f"Sign in at {url} as an owner and enter the code {shown} within {minutes} "
        f"minutes, to grant {actor.name} an account.",
        flow_cache=code,
    )


class CompleteAuth(Closed):
    """Which flow: `_flow_cache` as `account_authenticate` gave it."""

    flow_cache: Annotated[str, Field(min_length=1)]


class AuthState(Closed):
    """`pending` while nobody has decided; with `success` comes the account that was granted."""

    status: Literal["success", "pending"]
    username: OrAbsent[str] = None
    account_id: OrAbsent[str] = None
    account_type: OrAbsent[AccountType] = None


@tool(
    family="operations", domain="admin", effect=Effect.WRITE, unified=[("auth", "complete")],
    example={"flow_cache": "kJ8sQ…"},
)  # fmt: skip
def account_complete_auth(actor: Actor, args: CompleteAuth) -> AuthState:
    """Ask whether a person has granted the account; success is told once.

    A request that expired, was refused or was completed before is a `conflict` that says which.
    """
    account = complete_flow(actor=actor, device_code=args.flow_cache)
    if account is None:
        return AuthState(status="pending")
    shape = _shape(account)
    return AuthState(
        status="success", username=shape.username, account_id=shape.account_id,
        account_type=shape.account_type,
    )  # fmt: skip


def _shape(account: Account) -> AccountShape:
    return AccountShape(
        username=account.address,
        account_id=account.public_id,
        account_type=_type_of(account.address),
    )


def _type_of(address: str) -> AccountType:
    domain = address.rpartition("@")[2].lower()
    return "personal" if domain in PUBLIC_DOMAINS else "unknown"
