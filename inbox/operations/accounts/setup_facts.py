"""What persons do with an account is told of as the fact `account.set_up`, for its receipt."""

import secrets
from collections.abc import Iterable
from typing import Literal, TypeAlias

from inbox.actor import Actor, system_actor
from inbox.background.jobs import publish
from inbox.models import Account

AccountChange: TypeAlias = Literal[
    "account.connected", "account.changed", "account.paused", "account.resumed",
    "account.disconnected", "account.source_connected", "account.source_changed",
    "account.source_disconnected",
]  # fmt: skip
# Who sits at the machine itself; who that is nobody can tell.
OPERATOR = "Operator"


def publish_account_change(
    account: Account, change: AccountChange, by: Actor | None, changed: Iterable[str] = ()
) -> None:
    """Publish it, in the caller's transaction; `by` None: the operator, on the command line.

    `changed` are the names of the settings that were, and `credential`; never what they are.
    """
    who = by or system_actor(account.workspace_id, OPERATOR)
    payload = {
        "account_id": account.pk, "tool": change, "changed": sorted(changed),
        "by_kind": who.kind, "by_id": who.id, "by_name": who.name, "once": secrets.token_hex(8),
    }  # fmt: skip
    publish("account.set_up", payload, workspace_id=account.workspace_id, account_id=account.pk)
