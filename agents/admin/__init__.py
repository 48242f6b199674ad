"""The admin of agents, approvals and receipts; its modules register themselves."""

from agents.admin import agents, records

__all__ = ["agents", "records"]
