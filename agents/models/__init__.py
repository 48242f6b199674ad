"""Who acts, what waits for a person, and what was done."""

from agents.models.approvals import Approval, ApprovalState
from agents.models.identity import Agent, AgentStatus, Grant, Token
from agents.models.receipts import Decision, Outcome, Receipt, ReceiptHead, StoredAnswer

__all__ = [
    "Agent",
    "AgentStatus",
    "Approval",
    "ApprovalState",
    "Decision",
    "Grant",
    "Outcome",
    "Receipt",
    "ReceiptHead",
    "StoredAnswer",
    "Token",
]
