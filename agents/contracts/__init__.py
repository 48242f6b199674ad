"""One declaration for each tool: its schemas, its fields, its checks and every other form."""

from agents.contracts.declaration import tool
from agents.contracts.folds import Fold
from agents.contracts.records import Effect, Tool
from agents.contracts.registry import DECISIONS, REGISTRY, RESOURCES, Declared, Registry
from agents.errors import ToolError

__all__ = [
    "DECISIONS",
    "REGISTRY",
    "RESOURCES",
    "Declared",
    "Effect",
    "Fold",
    "Registry",
    "Tool",
    "ToolError",
    "tool",
]
