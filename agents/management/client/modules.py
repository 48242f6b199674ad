"""The modules of the client by their paths, and which of those that are there are stale."""

import re
from pathlib import Path

from agents.contracts import REGISTRY, Tool
from agents.management.client.methods import Method, read_method, written
from agents.management.client.shapes import Shapes, class_name

FOLDER = Path("client") / "chancery_client" / "generated"
_MADE = "Made by `python manage.py reference`; change the declarations instead."
_FAMILIES = ("mail", "concierge", "services", "mesh", "house", "operations")
# The operations are many: a module for each kind of thing, by how their names begin.
_KINDS = {
    "account": "accounts", "cache": "accounts", "calendar": "calendar", "contact": "contacts",
    "file": "files", "search": "files", "email": "emails",
}  # fmt: skip
# The module, its base and what it calls: one of those that wait, and one of those that are awaited.
_WAYS = {"sync": ("Carrier", True), "asynchronous": ("AsyncCarrier", False)}


def modules() -> dict[str, str]:
    """Return the text of each module below the folder of what is generated."""
    found = {"__init__.py": f'"""{_MADE}"""\n', "shapes/__init__.py": f'"""{_MADE}"""\n'}
    for module, tools in _rooms().items():
        shapes = Shapes()
        methods = [read_method(tool, shapes) for tool in tools]
        found[f"shapes/{module}.py"] = _shapes_module(module, shapes)
        for way in _WAYS:
            found[f"{way}/{module}.py"] = _methods_module(module, methods, shapes, way)
    for way in _WAYS:
        found[f"{way}/__init__.py"] = _face()
    return found


def find_stale(base: Path) -> list[str]:
    """Return the modules that are not as the declarations have them, or are none any more."""
    folder, wanted = base / FOLDER, modules()
    there = {str(path.relative_to(folder)) for path in folder.rglob("*.py")}
    stale = [
        name for name, text in wanted.items()
        if name not in there or (folder / name).read_text(encoding="utf-8") != text
    ]  # fmt: skip
    return sorted({*stale, *(there - wanted.keys())})


def write(base: Path) -> list[str]:
    """Write what is stale, and remove what is no module any more; return their names."""
    folder, wanted, stale = base / FOLDER, modules(), find_stale(base)
    for name in stale:
        path = folder / name
        if name not in wanted:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[name], encoding="utf-8")
    return stale


def _rooms() -> dict[str, list[Tool]]:
    """Return the tools of each module; verbs that stand for several operations are none of them."""
    rooms: dict[str, list[Tool]] = {}
    for tool in REGISTRY.tools:
        is_operation = tool.family == "operations"
        room = _KINDS[tool.name.partition("_")[0]] if is_operation else tool.family
        rooms.setdefault(room, []).append(tool)
    return rooms


def _shapes_module(module: str, shapes: Shapes) -> str:
    body = "\n\n\n".join(shapes.blocks.values())
    names = [name for name in ("Any", "Literal", "NotRequired", "TypedDict") if _has(body, name)]
    head = f'"""What the tools of {module} take and give.\n\n{_MADE}\n"""\n'
    imports = f"\nfrom typing import {', '.join(names)}\n" if names else ""
    return f"{head}{imports}\n\n{body}\n" if body else head


def _methods_module(module: str, methods: list[Method], shapes: Shapes, way: str) -> str:
    carrier, waits = _WAYS[way]
    bodies = "\n\n".join(written(one, waits=waits) for one in methods)
    typing = [name for name in ("Any", "Literal") if _has(bodies, name)]
    used = sorted(name for name in shapes.blocks if _has(bodies, name))
    wire = [name for name in ("OMITTED", "Held", "Omitted", "make_key") if _has(bodies, name)]
    lines = [f'"""The tools of {module}.\n\n{_MADE}\n"""', ""]
    lines += [f"from typing import {', '.join(typing)}", ""] if typing else []
    lines.append(f"from chancery_client.carriers import {carrier}")
    lines += _import(f"chancery_client.generated.shapes.{module}", used)
    lines += _import("chancery_client.wire", wire)
    lines += [
        "", "", f"class {class_name(module)}:", f'    """The tools of {module}."""', "",
        f"    def __init__(self, carrier: {carrier}) -> None:", "        self._carrier = carrier",
        "", bodies, "",
    ]  # fmt: skip
    return "\n".join(lines)


def _import(module: str, names: list[str]) -> list[str]:
    if not names:
        return []
    return [f"from {module} import (", *(f"    {name}," for name in names), ")"]


def _face() -> str:
    """Return the module that has all of a way together, the operations as one."""
    kinds = sorted(set(_KINDS.values()))
    plain = [family for family in _FAMILIES if family != "operations"]
    lines = [f'"""The tools, by family.\n\n{_MADE}\n"""', ""]
    lines += [f"from .{name} import {class_name(name)}" for name in sorted([*kinds, *plain])]
    bases = ", ".join(class_name(kind) for kind in kinds)
    lines += ["", "", f"class Operations({bases}):"]
    lines += [
        '    """Each operation by itself: accounts, calendars, contacts, files and emails."""'
    ]
    faces = sorted(class_name(name) for name in (*plain, "operations"))
    lines += ["", "", f"__all__ = [{', '.join(repr(name) for name in faces)}]", ""]
    return "\n".join(lines).replace("'", '"')


def _has(text: str, name: str) -> bool:
    return bool(re.search(rf"\b{name}\b", text))
