"""One declaration for each tool: its schemas, its fields, its checks and every other form."""

from agents.contracts.declaration import tool
from agents.contracts.folds import Fold
from agents.contracts.records import Approved, Effect, MailContent, Plan, SealedMail, Tool
from agents.contracts.registry import DECISIONS, REGISTRY, RESOURCES, Declared, Registry
from agents.errors import ToolError

__all__ = [
    "DECISIONS",
    "REGISTRY",
    "RESOURCES",
    "Approved",
    "Declared",
    "Effect",
    "Fold",
    "MailContent",
    "Plan",
    "Registry",
    "SealedMail",
    "Tool",
    "ToolError",
    "tool",
]
