"""What a held call would do where nothing leaves: to what, before and after, with names for ids."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model
from django.utils.translation import gettext

from agents.admin.evidence.differences import TextPiece, difference
from agents.admin.evidence.references import Reference, find_ids, name_ids
from agents.models import Approval
from inbox.actor import Actor

_ENDS = re.compile(r"(^|[._])(delete|remove|cancel|forget|purge)([._]|$)")
_CONTEXT = frozenset({"account", "inbox", "calendar", "mailbox", "agent"})
# How tools call what rows know by another name; the first that the row has counts.
_FIELDS: dict[str, tuple[str, ...]] = {
    "title": ("title", "summary"),
    "notes": ("note", "description"),
    "body": ("body", "description", "content"),
    "start": ("dtstart",),
    "start_at": ("dtstart",),
    "end": ("dtend",),
    "end_at": ("dtend",),
    "due_at": ("due",),
    "surname": ("family_name",),
    "display_name": ("fn",),
    "company": ("org",),
    "job_title": ("title",),
    "phone_numbers": ("tel",),
    "email_addresses": ("email",),
    "onedrive_path": ("path",),
    "categories": ("keywords",),
}
# What is told of a row that would go.
_TOLD = (
    "path", "size", "content", "subject", "summary", "dtstart", "dtend", "location", "fn", "email",
    "org", "tel", "from_email", "received_at", "command", "trigger_at", "key", "value", "name",
    "source", "url", "status", "note", "description",
)  # fmt: skip
_DEEPEST = 6
# Longer values are compared by words.
_LINE = 60


@dataclass(frozen=True, slots=True)
class CallField:
    """One thing that the call says: `before` is None where nothing is known of it."""

    name: str
    after: str
    before: str | None = None
    named: tuple[Reference, ...] = ()
    pieces: tuple[TextPiece, ...] = ()
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Subject:
    """A row that the call is about, and what would become of it."""

    named: Reference
    lines: tuple[CallField, ...]


@dataclass(frozen=True, slots=True)
class HeldCall:
    """A held call: the rows that it is about, and all else that it says."""

    ends: bool
    subjects: tuple[Subject, ...]
    lines: tuple[CallField, ...]


def read_held_call(actor: Actor, approval: Approval) -> HeldCall:
    """Lay a stored call out; one query for each kind of id in it."""
    arguments = approval.arguments if isinstance(approval.arguments, dict) else {}
    named = name_ids(actor, find_ids(arguments))
    ends = bool(_ENDS.search(f"{approval.tool}.{arguments.get('action', '')}"))
    about = {
        name: [named[one] for one in find_ids(value)]
        for name, value in arguments.items()
        if _is_about(value) and all(one in named for one in find_ids(value))
    }
    rows = [one for found in about.values() for one in found if not _is_context(one)]
    changes = dict(_changes(arguments, about))
    subjects = tuple(Subject(one, tuple(_lines_of(one.row, changes, ends=ends))) for one in rows)
    told = {name for name in changes if subjects and _field(subjects[0].named.row, name)}
    rest = {name: value for name, value in arguments.items() if not _is_told(name, about, told)}
    return HeldCall(ends, subjects, tuple(_lines(rest, named, told)))


def _is_told(name: str, about: Mapping[str, list[Reference]], told: set[str]) -> bool:
    return name in told or (name in about and not any(map(_is_context, about[name])))


def _is_about(value: Any) -> bool:
    """Whether a value is nothing but ids."""
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(one, str) and list(find_ids(one)) for one in items)


def _is_context(one: Reference) -> bool:
    return one.row._meta.model_name in _CONTEXT


def _changes(arguments: Mapping[str, Any], about: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what the call would set; `updates` holds it in some tools."""
    for name, value in arguments.items():
        if name == "updates" and isinstance(value, dict):
            yield from value.items()
        elif name not in about:
            yield name, value


def _lines_of(row: Any, changes: Mapping[str, Any], *, ends: bool) -> Iterator[CallField]:
    if ends:
        for name in _TOLD:
            if _has(row, name) and getattr(row, name) not in (None, "", []):
                yield CallField(name, "", in_words(getattr(row, name)))
        return
    for name, value in changes.items():
        field = _field(row, name)
        if field and value is not None:
            before, after = in_words(getattr(row, field)), in_words(value)
            is_long = max(len(before), len(after)) > _LINE
            pieces = tuple(difference(before, after)) if is_long else ()
            yield CallField(name, after, before, pieces=pieces)


def _field(row: Any, name: str) -> str:
    wanted = (name, *_FIELDS.get(name, ()))
    return next((one for one in wanted if _has(row, one)), "")


def _has(row: Model, name: str) -> bool:
    return any(field.name == name and not field.is_relation for field in row._meta.concrete_fields)


def _lines(
    value: Any, named: Mapping[str, Reference], told: set[str], depth: int = 0
) -> Iterator[CallField]:
    """Yield all that a stored value says, a line each, however deep."""
    items: Iterable[tuple[Any, Any]]
    items = value.items() if isinstance(value, dict) else enumerate(value, start=1)
    for name, item in items:
        if depth == 1 and name in told:
            continue
        if isinstance(item, dict | list) and item and depth < _DEEPEST and not _is_about(item):
            inner = tuple(_lines(item, named, told, depth + 1))
            if inner:
                yield CallField(str(name), "", depth=depth)
                yield from inner
            continue
        found = tuple(named[one] for one in find_ids(item) if one in named)
        yield CallField(str(name), in_words(item), named=found, depth=depth)


def in_words(value: Any) -> str:
    """Return a stored value as a person would write it, whole."""
    if value is None or value in ("", [], {}):
        return gettext("nothing")
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M} UTC"
    if isinstance(value, list):
        return ", ".join(in_words(one) for one in value)
    if isinstance(value, dict):
        return ", ".join(f"{name}: {in_words(one)}" for name, one in value.items())
    return str(value)
