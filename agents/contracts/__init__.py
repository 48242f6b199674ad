"""One declaration for each tool: its schemas, its fields, its checks and every other form."""

from agents.contracts.declaration import (
    REGISTRY,
    RESOURCES,
    Effect,
    Registry,
    Seal,
    Sealed,
    Tool,
    tool,
)
from agents.errors import ToolError

__all__ = [
    "REGISTRY",
    "RESOURCES",
    "Effect",
    "Registry",
    "Seal",
    "Sealed",
    "Tool",
    "ToolError",
    "tool",
]
