"""The one style sheet and the one script of all pages, joined from the many that are written.

They are not rewritten otherwise: a browser's tools show each part as it was written, below the name
of its file. What only one page needs and is large, that page names itself.
"""

import re
from collections.abc import Callable
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "static" / "chancery"
# Below `styles/`, in the order in which they overrule one another.
STYLES = (
    "tokens", "frame", "parts", "queue", "review", "reading", "classic", "evidence", "activities",
    "agents", "accounts", "sign_in", "start", "oversight", "understanding", "browsing", "files",
    "calendar", "deciding", "keys", "small",
)  # fmt: skip
# The script that starts all others: each comes once those that it imports are there.
SCRIPT = "page.js"

_IMPORT = re.compile(r'^import \{ (\w+(?:, \w+)*) \} from "\./([\w/]+\.js)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?function (\w+))", re.MULTILINE)
_OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def join_styles(folder: Path = SOURCES) -> bytes:
    """Return all style sheets in their order."""
    names = [f"styles/{name}.css" for name in STYLES]
    return "\n".join(f"/* {name} */\n{_read(folder / name)}" for name in names).encode()


def join_scripts(folder: Path = SOURCES) -> bytes:
    """Return the script with all that it imports, each in a scope of its own.

    Raises ValueError for an import that is not `import { a, b } from "./c.js";`, and for an export
    that is no `export function`.
    """
    parts: dict[str, str] = {}
    _add_script(SCRIPT, folder, parts)
    return "\n".join(["const modules = {};", *parts.values()]).encode()


def _add_script(name: str, folder: Path, parts: dict[str, str]) -> None:
    """Add a script after those that it imports; `parts` has what is there, by name."""
    source = _read(folder / name)
    for _, imported in _IMPORT.findall(source):
        if imported not in parts:
            _add_script(imported, folder, parts)
    exported = _EXPORT.findall(source)
    body = _EXPORT.sub("", _IMPORT.sub(r'const { \1 } = modules["\2"];', source))
    if odd := _OTHER.search(body):
        raise ValueError(f"{name}: {odd[0]!r} cannot be joined")
    given = ", ".join(exported)
    parts[name] = (
        f'// {name}\nmodules["{name}"] = (() => {{\n{body}\nreturn {{ {given} }};\n}})();\n'
    )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# By the name under which pages ask for them.
BUNDLES: dict[str, Callable[[], bytes]] = {
    "chancery/pages.css": join_styles,
    "chancery/pages.js": join_scripts,
}
