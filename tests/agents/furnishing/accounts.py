"""Accounts and the mirror: a request for an account, entries, and a reading in the background."""

from agents.models import CacheTask
from agents.operations.granting.device_flows import start_flow
from inbox.syncing.mirror import consult
from tests.agents.furnishing import World


def furnish(world: World) -> None:
    """Make a flow that waits, an entry of the mirror and a task that failed."""
    _, code = start_flow(actor=world.actor)
    account = world.account
    consult(account=account, resource="email_list", key={"folder": world.word})
    task = CacheTask.objects.create(
        workspace=world.workspace, agent=world.agents[0], account=account,
        operation="email_list", status="failed", error={"code": "internal", "message": world.word},
    )  # fmt: skip
    world.calls |= {
        "account_list": {},
        "account_authenticate": {},
        "account_complete_auth": {"flow_cache": code},
        "cache_get_stats": {},
        "cache_invalidate": {"pattern": "email_list:*", "account_id": account.public_id},
        "cache_task_enqueue": {
            "account_id": account.public_id, "operation": "email_list", "parameters": {"limit": 5},
        },
        "cache_task_get_status": {"task_id": task.public_id},
        "cache_task_list": {"account_id": account.public_id, "status": "failed"},
        "cache_warming_status": {},
    }  # fmt: skip
