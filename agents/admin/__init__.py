"""The admin of agents, approvals and receipts; its modules register themselves."""

from agents.admin import agents, mesh, plans, records, webhooks

__all__ = ["agents", "mesh", "plans", "records", "webhooks"]
