"""What is mutated: the files that guard sending, tenancy, receipts, policy and checks, and every ownership filter."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
APPS = ("inbox", "calendar_app", "agents", "project")
# The one list of the files whose functions are mutated; a pattern names all that match.
GUARDS = {
    "sending": (
        "inbox/submission_states.py",
        "inbox/operations/sending/submissions.py",
        "inbox/operations/sending/delivery.py",
        "inbox/operations/sending/pauses.py",
        "inbox/operations/sending/after_restore.py",
        "agents/approval/*.py",
    ),
    "tenancy": (
        "inbox/actor.py",
        "inbox/models/*.py",
        "calendar_app/models/*.py",
        "agents/models/*.py",
        "agents/dispatching/rows.py",
    ),
    "receipts": ("agents/receipts.py", "agents/dispatching/canonical.py"),
    "policy": (
        "agents/dispatching/policy.py",
        "agents/dispatching/statements.py",
        "agents/dispatching/rate_limit.py",
        "inbox/policies/*.py",
        "agents/dispatching/flows.py",
        "agents/quotas/*.py",
    ),
    "connections": ("agents/operations/granting/connections.py",),
    "checks": ("agents/approval/checks/*.py", "agents/evidence/*.py"),
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Place:
    """A function of a file, by its path from the root and its qualified name."""

    path: str
    name: str
    line: int

    @property
    def key(self) -> str:
        """How the place is called in lists."""
        return f"{self.path}::{self.name}"


def guarded_files() -> list[str]:
    """Return the paths of the files that are mutated, in the order of the list."""
    found = [
        str(path.relative_to(ROOT))
        for patterns in GUARDS.values()
        for pattern in patterns
        for path in sorted(ROOT.glob(pattern))
    ]
    return list(dict.fromkeys(found))


def product_files() -> list[str]:
    """Return the paths of all product code."""
    return [
        str(path.relative_to(ROOT))
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        if "migrations" not in path.parts
    ]


def functions(tree: ast.Module, path: str) -> Iterator[tuple[Place, Function]]:
    """Yield the functions of a module and the methods of its classes; what is in them is part of them."""
    waiting: list[tuple[str, ast.stmt]] = [("", node) for node in tree.body]
    while waiting:
        prefix, node = waiting.pop(0)
        if isinstance(node, ast.ClassDef):
            waiting[:0] = [(f"{prefix}{node.name}.", inner) for inner in node.body]
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(it.lineno for it in node.decorator_list)])
            yield Place(path, prefix + node.name, first), node
