"""The reference in `docs/reference/`, made from the declarations themselves."""

import ast
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from pydantic import BaseModel

from agents.contracts import REGISTRY, RESOURCES, Declared, Effect, Fold
from agents.errors import STATUSES
from agents.oversight.exporting import DecisionRecord
from agents.planted.counting import PlantedExport
from inbox.flags import FLAGS, ODDITIES, FlagKind

Schema: TypeAlias = dict[str, Any]

_MADE = "<!-- Made by `python manage.py reference`; change the declarations instead. -->\n"
_FAMILIES = {
    "mail": "Mail",
    "concierge": "Concierge",
    "operations": "Operations",
    "unified": "Unified",
    "services": "Services",
    "mesh": "Mesh",
    "house": "House tools",
}
# What each code means, for somebody who gets it.
_ERRORS = {
    "invalid_input": "An argument is not as the contract wants it; `details.errors` names each by "
    "JSON pointer and says what would be accepted.",
    "unauthenticated": "There is no token, or it is unknown, expired or revoked.",
    "permission_denied": "The token lacks the scope, or the agent is paused.",
    "fresh_login_required": "A person decides with a session, and gives leave to what raised flags "
    "or edits: they have to show who they are again, on the review page, and repeat it.",
    "approval_required": "A person has to decide first; `details.approval_id` is what to wait for.",
    "policy_blocked": "The workspace's policy forbids it; nothing was proposed.",
    "not_found": "There is no such row, or the caller may not see it: the answer is the same.",
    "method_not_allowed": "The address takes another method; `Allow` names it.",
    "not_acceptable": "The answer has none of the media types that `Accept` names.",
    "conflict": "It does not go with how things stand now.",
    "precondition_failed": "The row is not the one that `If-Match` names: it has changed since; "
    "nothing was done.",
    "precondition_required": "`If-Match` is missing: say which state of the row is changed.",
    "idempotency_in_progress": "A call with this key is under way; ask again.",
    "too_large": "The body is larger than 1 MB.",
    "unsupported_media_type": "The body is not `application/json`.",
    "idempotency_conflict": "The key was used before, with other content.",
    "rate_limited": "Too many calls; `Retry-After` says when to go on.",
    "internal": "Something went wrong that nobody foresaw; it has been logged.",
    "provider_error": "A mail server could not be reached, or refused.",
}


def settings_source(base: Path) -> str:
    """Return what declares the settings, below the folder of the project."""
    names = ("settings.py", "sign_in/settings.py", "provider_settings.py", "model_settings.py")
    files = [base / "project" / name for name in names]
    return "".join(file.read_text(encoding="utf-8") for file in files if file.exists())


def pages(settings_source: str) -> dict[str, str]:
    """Return the text of each page by its file name; `settings_source` is that of the settings."""
    return {
        "tools.md": _page("Tools", _TOOLS_INTRO, _tools()),
        "resources.md": _page("Resources", _RESOURCES_INTRO, _resources()),
        "errors.md": _page("Errors", _ERRORS_INTRO, _errors()),
        "flags.md": _page("Flags", _FLAGS_INTRO, _flags()),
        "decision.schema.json": _schema_of(DecisionRecord),
        "planted.schema.json": _schema_of(PlantedExport),
        "settings.md": _page("Settings", _SETTINGS_INTRO, _settings(settings_source)),
    }


def _schema_of(exported: type[BaseModel]) -> str:
    """Return the JSON Schema of a file that people download."""
    schema = exported.model_json_schema()
    draft = {"$schema": "https://json-schema.org/draft/2020-12/schema"}
    return json.dumps({**draft, **schema}, indent=2) + "\n"


def write(folder: Path, settings_source: str) -> list[str]:
    """Write the pages that differ from what is there; return their names."""
    stale = find_stale(folder, settings_source)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages(settings_source).items():
        if name in stale:
            (folder / name).write_text(text, encoding="utf-8")
    return stale


def find_stale(folder: Path, settings_source: str) -> list[str]:
    """Return the names of the pages that are not what they would be if they were made now."""
    return [
        name
        for name, text in pages(settings_source).items()
        if not (folder / name).exists() or (folder / name).read_text(encoding="utf-8") != text
    ]


_TOOLS_INTRO = """\
Each tool is called with `POST /api/tools/{name}`, its parameters as a JSON object, and a bearer
token. Objects are closed: a field that is not listed is an error. `GET /api/tools` has the same in
JSON Schema, `/api/docs` to try out."""
_RESOURCES_INTRO = """\
What is read by its address, with `GET` and a bearer token. The addresses that begin with
`email://` are read with `GET /api/v1/resource?uri=…` (percent-encoded) as well."""
_ERRORS_INTRO = """\
Every error is `{"code": …, "message": …, "details": …}`; `details` may be left out."""
_FLAGS_INTRO = """\
What may be wrong with a message that is to leave, the gravest first. An approval has one flag of
each kind, with all that raised it in `items`. What is flagged is decided on its own page, by
somebody who has just signed in; the queue filters by each, and a policy may name each in
`approval.required_when`. Agents read the sentences in English, pages in the reader's language."""
_SETTINGS_INTRO = """\
All of them are environment variables, and all may be left out."""


def _page(title: str, intro: str, body: Iterator[str]) -> str:
    return "\n\n".join([_MADE + f"\n# {title}", intro, *body]) + "\n"


def _flags() -> Iterator[str]:
    yield _table_of(FLAGS.values())
    yield "## Of mail that came in"
    yield "The queue filters by these too; no policy names them."
    yield _table_of(ODDITIES.values())


def _table_of(kinds: Iterable[FlagKind]) -> str:
    rows = [
        f"| `{kind.code}` | {kind.title} | {kind.severity} | {'<br>'.join(_said(kind))} |"
        for kind in kinds
    ]
    head = ["| code | title | how grave | why it is raised |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])


def _said(kind: FlagKind) -> Iterator[str]:
    return (re.sub(r"%\((\w+)\)s", r"*\1*", sentence) for sentence in kind.reasons.values())


# -- tools and resources ---------------------------------------------------------------------------


def _tools() -> Iterator[str]:
    for family, title in _FAMILIES.items():
        found = [tool for tool in REGISTRY if tool.family == family]
        if found:
            yield f"## {title}"
        for tool in found:
            yield from _tool(tool)
    rest = {tool.family for tool in REGISTRY} - _FAMILIES.keys()
    if rest:
        raise ValueError(f"no title for the families {sorted(rest)}")


def _tool(tool: Declared) -> Iterator[str]:
    takes, gives = REGISTRY.schemas_of(tool.name)
    asks = ""
    if tool.effects == {Effect.SEND}:
        asks = " A person approves each call."
    elif tool.asks_a_person:
        asks = " Some calls wait for a person."
    scopes = ", ".join(f"`{scope}`" for scope in sorted(tool.scopes))
    yield f"### {tool.name}"
    yield tool.description
    yield (f"Scope {scopes}." if scopes else "Needs no scope.") + asks
    yield from _fields("Parameters", takes, with_default=True)
    yield from _answer(tool, gives)
    if tool.example:
        yield f"```json\n{json.dumps(tool.example, ensure_ascii=False)}\n```"


def _resources() -> Iterator[str]:
    for resource in RESOURCES:
        takes, gives = RESOURCES.schemas_of(resource.name)
        yield f"## {resource.name.replace('_', ' ')}"
        yield resource.description
        yield from _fields("Parameters", takes, with_default=True)
        yield from _fields("Answer", gives, with_default=False)


def _answer(tool: Declared, gives: Schema) -> Iterator[str]:
    """Yield what a tool answers; a fold answers what the tool behind it does."""
    if isinstance(tool, Fold):
        behind = ", ".join(f"`{one.name}`" for one in tool.tools)
        yield f"Answer: that of the operation that is meant, {behind}."
    else:
        yield from _fields("Answer", gives, with_default=False)


def _fields(title: str, schema: Schema, *, with_default: bool) -> Iterator[str]:
    shared = schema.get("$defs", {})
    is_list = _resolved(schema, shared).get("type") == "array"
    rows = list(_rows(_inner(schema, shared) or {}, shared, ""))
    if not rows:
        yield f"{title}: none."
        return
    if is_list:
        yield f"{title}: a list; of each:"
    titles = [title.lower(), "type", "", *(["default"] if with_default else [])]
    if any(row.words for row in rows):
        titles.append("meaning")
    cells = [
        [f"`{row.name}`", row.kind, row.needed, *([row.default] if with_default else []), row.words]
        for row in rows
    ]
    lines = [titles, ["---"] * len(titles), *(row[: len(titles)] for row in cells)]
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


class _Row(NamedTuple):
    name: str
    kind: str
    needed: str
    default: str
    words: str


def _rows(schema: Schema, shared: Schema, prefix: str) -> Iterator[_Row]:
    """Yield a row for each field, those of inner objects after theirs."""
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        default = f"`{json.dumps(field['default'])}`" if "default" in field else ""
        needed = "required" if name in required else ""
        words = " ".join(field.get("description", "").split()).replace("|", "\\|")
        yield _Row(f"{prefix}{name}", _kind(field, shared), needed, default, words)
        inner = _inner(field, shared)
        if inner is not None and prefix.count(".") < 2:
            yield from _rows(inner, shared, f"{prefix}{name}.")


def _resolved(schema: Schema, shared: Schema) -> Schema:
    reference = schema.get("$ref", "")
    found: Schema = shared.get(reference.rpartition("/")[2], schema) if reference else schema
    return found


def _inner(field: Schema, shared: Schema) -> Schema | None:
    """Return the object that a field, an entry of its list or one of its forms is, if it is one."""
    field = _resolved(field, shared)
    for form in [field, *field.get("anyOf", [])]:
        whole = _resolved(form, shared)
        item = _resolved(whole.get("items", {}), shared)
        for candidate in (whole, item):
            if "properties" in candidate:
                return candidate
    return None


def _kind(field: Schema, shared: Schema) -> str:
    field = _resolved(field, shared)
    if "anyOf" in field:
        return " or ".join(_kind(form, shared) for form in field["anyOf"])
    if "const" in field:
        return f"`{field['const']}`"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    kind = str(field.get("type", "any JSON"))
    if kind == "array":
        kind = f"list of {_kind(field.get('items', {}), shared)}"
    return kind + _limits(field)


_LIMITS: dict[str, Callable[[Any], str]] = {
    "format": str,
    "minimum": lambda value: f"from {value}",
    "maximum": lambda value: f"to {value}",
    "minLength": lambda value: "not empty" if value == 1 else f"at least {value} characters",
    "maxLength": lambda value: f"at most {value} characters",
    "minItems": lambda value: f"at least {value}",
    "maxItems": lambda value: f"at most {value}",
}


def _limits(field: Schema) -> str:
    words = [say(field[name]) for name, say in _LIMITS.items() if name in field]
    return f" ({', '.join(words)})" if words else ""


# -- errors and settings ---------------------------------------------------------------------------


def _errors() -> Iterator[str]:
    rows = [f"| `{code}` | {status} | {_ERRORS[code]} |" for code, status in STATUSES.items()]
    yield "\n".join(["| code | status | |", "|---|---|---|", *rows])


def _settings(source: str) -> Iterator[str]:
    lines = source.splitlines()
    rows = []
    for statement in ast.parse(source).body:
        for name, default in _variables(statement):
            words = _comment_above(lines, statement.lineno)
            rows.append(f"| `{name}` | {default} | {words} |")
    yield "\n".join(["| variable | default | |", "|---|---|---|", *rows])


def _variables(statement: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield the environment variables that a statement of the settings reads, with defaults."""
    for node in ast.walk(statement):
        if not isinstance(node, ast.Call):
            continue
        called = ast.unparse(node.func)
        if called == "os.environ.get":
            name = ast.literal_eval(node.args[0])
            default = node.args[1] if len(node.args) > 1 else None
            yield name, _default(default)
        elif called == "dj_database_url.config":
            given = {word.arg: word.value for word in node.keywords}
            yield ast.literal_eval(given["env"]), "SQLite in the data folder"


def _default(node: ast.expr | None) -> str:
    if isinstance(node, ast.Constant):
        return f"`{node.value!s}`" if node.value else ""
    return "" if node is None else "`var/`"


def _comment_above(lines: list[str], number: int) -> str:
    """Return the comment that stands right above a line; raises ValueError where there is none."""
    found: list[str] = []
    for line in reversed(lines[: number - 1]):
        match = re.fullmatch(r"# (.*)", line)
        if match is None or match[1].startswith("--"):
            break
        found.insert(0, match[1])
    if not found:
        raise ValueError(
            f"line {number} of the settings reads a variable and does not say what for"
        )
    return " ".join(found)
