"""The admin of agents, approvals and receipts; its modules register themselves."""

from agents.admin import agents, mesh, plans, records, webhooks
from agents.admin.activities import rows

__all__ = ["agents", "mesh", "plans", "records", "rows", "webhooks"]
