"""What a workspace teaches Chancery: the defaults it starts with, and saving what is its own."""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from django.db import IntegrityError, transaction
from django.db.models import Model, QuerySet

from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.classify.triage import read_taxonomy
from inbox.errors import DomainError, invalid
from inbox.extract import check_schema
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy, Workspace
from inbox.policies import read_policy
from inbox.reasons import of_error
from inbox.reasons import phrase as _

DEFAULTS = Path(__file__).resolve().parents[2] / "defaults"
DEFAULT_NAME = "Default"

T = TypeVar("T", ReplyPolicy, ExtractionSchema, Taxonomy)


def ensure_defaults(workspace: Workspace) -> None:
    """Give the workspace the default taxonomy, extraction schemas and reply policy it lacks."""
    with transaction.atomic():
        if not ReplyPolicy.objects.filter(workspace=workspace).exists():
            source = (DEFAULTS / "reply_policy.yaml").read_text(encoding="utf-8")
            save_version(ReplyPolicy, workspace=workspace, name=DEFAULT_NAME, content=source)
        if not ExtractionSchema.objects.filter(workspace=workspace).exists():
            for path in sorted((DEFAULTS / "schemas").glob("*.json")):
                schema = json.loads(path.read_text(encoding="utf-8"))
                save_version(
                    ExtractionSchema, workspace=workspace, name=schema["title"], content=schema
                )
        if not Taxonomy.objects.filter(workspace=workspace).exists():
            source = (DEFAULTS / "taxonomy.yaml").read_text(encoding="utf-8")
            save_version(Taxonomy, workspace=workspace, name=DEFAULT_NAME, content=source)


def save_version(
    model: type[T],
    *,
    workspace: Workspace,
    name: str,
    content: Any,
    stored: T | None = None,
    by: Actor | None = None,
) -> T:
    """Store what is taught, or what `stored` is from now on: another content is another version.

    Raises DomainError where the content cannot be read, naming line and field, and where the
    workspace has another of this name.
    """
    kind = TAUGHT[model]
    _check(kind, content)
    with transaction.atomic():
        name = _free_name(model._default_manager.filter(workspace=workspace), name, stored)
        if stored is None:
            row = model(workspace=workspace, name=name, **{kind.field: content})
        else:
            row = model._default_manager.select_for_update().get(pk=stored.pk)
            before = getattr(row, kind.field)
            if (row.name, before) == (name, content):
                return row
            row.version += before != content
            row.name = name
            setattr(row, kind.field, content)
        _store(row)
        row.versions.get_or_create(
            version=row.version,
            defaults={"source": text_of(content), "saved_by_name": by.name if by else ""},
        )
        if by is not None:
            _tell(kind, row, by)
    return row


def _store(row: ReplyPolicy | ExtractionSchema | Taxonomy) -> None:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError as error:
        # Somebody else has stored one of this name since it was looked for.
        raise _taken(row.name) from error


@dataclass(frozen=True, slots=True)
class Kind:
    """One of the things taught: where its content stands, how it is read, what is accepted."""

    tool: str
    field: str
    read: Callable[[Any], Any]
    accepted: str


TAUGHT: Mapping[type[Model], Kind] = {
    ReplyPolicy: Kind("save_policy", "source", read_policy, _("a reply policy in YAML")),
    Taxonomy: Kind("save_taxonomy", "source", read_taxonomy, _("a taxonomy in YAML")),
    ExtractionSchema: Kind(
        "save_schema", "schema", check_schema, _("a JSON Schema 2020-12 with properties")
    ),
}


def _check(kind: Kind, content: Any) -> None:
    try:
        kind.read(content)
    except ValueError as error:
        raise invalid(kind.field, of_error(error), kind.accepted) from error
    if _has_nul(content):
        raise invalid(kind.field, _("It contains a NUL character."), kind.accepted)


def _has_nul(value: Any) -> bool:
    """Whether a text anywhere in it has a NUL, which PostgreSQL stores nowhere."""
    if isinstance(value, dict):
        return any(_has_nul(part) for item in value.items() for part in item)
    if isinstance(value, list):
        return any(map(_has_nul, value))
    return isinstance(value, str) and "\0" in value


def _tell(kind: Kind, stored: Any, by: Actor) -> None:
    """Publish what a person saved, for its receipt."""
    payload = {
        "workspace_id": stored.workspace_id, "tool": kind.tool, "id": stored.public_id,
        "name": stored.name, "version": stored.version,
        "by_kind": by.kind, "by_id": by.id, "by_name": by.name, "once": secrets.token_hex(8),
    }  # fmt: skip
    publish("understanding.saved", payload, workspace_id=stored.workspace_id)


def text_of(content: Any) -> str:
    """Return what is taught as people write it: YAML as it is, JSON indented."""
    return (
        content if isinstance(content, str) else json.dumps(content, indent=2, ensure_ascii=False)
    )


def _free_name(
    rows: QuerySet[Any], name: str, itself: ReplyPolicy | ExtractionSchema | Taxonomy | None
) -> str:
    name = name.strip()
    if not name or len(name) > 200:
        raise invalid("name", _("Enter a name."), _("at most 200 characters"))
    others = rows.exclude(pk=itself.pk) if itself else rows
    if others.filter(name=name).exists():
        raise _taken(name)
    return name


def _taken(name: str) -> DomainError:
    return DomainError("conflict", _("%(name)s already exists.", name=repr(name)), field="name")
