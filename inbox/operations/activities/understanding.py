"""What a workspace teaches Chancery: the defaults it starts with, and saving what is its own."""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from inbox.actor import Actor
from inbox.background.jobs import publish
from inbox.classify.triage import read_taxonomy
from inbox.errors import DomainError, invalid
from inbox.extract import check_schema
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy, Workspace
from inbox.policies import read_policy

DEFAULTS = Path(__file__).resolve().parents[2] / "defaults"
DEFAULT_NAME = "Default"


def ensure_defaults(workspace: Workspace) -> None:
    """Give the workspace the default taxonomy, extraction schemas and reply policy it lacks."""
    with transaction.atomic():
        if not ReplyPolicy.objects.filter(workspace=workspace).exists():
            source = (DEFAULTS / "reply_policy.yaml").read_text(encoding="utf-8")
            save_policy(workspace=workspace, name=DEFAULT_NAME, source=source)
        if not ExtractionSchema.objects.filter(workspace=workspace).exists():
            for path in sorted((DEFAULTS / "schemas").glob("*.json")):
                schema = json.loads(path.read_text(encoding="utf-8"))
                save_schema(workspace=workspace, name=schema["title"], schema=schema)
        if not Taxonomy.objects.filter(workspace=workspace).exists():
            source = (DEFAULTS / "taxonomy.yaml").read_text(encoding="utf-8")
            save_taxonomy(workspace=workspace, name=DEFAULT_NAME, source=source)


def save_policy(
    *,
    workspace: Workspace,
    name: str,
    source: str,
    policy: ReplyPolicy | None = None,
    by: Actor | None = None,
) -> ReplyPolicy:
    """Store a reply policy, or what `policy` is from now on, as its next version.

    Raises DomainError where the source cannot be read, naming line and field.
    """
    saved: ReplyPolicy = _save(_POLICY, source, policy, workspace=workspace, name=name, by=by)
    return saved


def save_schema(
    *,
    workspace: Workspace,
    name: str,
    schema: dict[str, Any],
    stored: ExtractionSchema | None = None,
    by: Actor | None = None,
) -> ExtractionSchema:
    """Store an extraction schema, or what `stored` is from now on, as its next version.

    Raises DomainError where it is no JSON Schema 2020-12 that extraction can fill in.
    """
    saved: ExtractionSchema = _save(_SCHEMA, schema, stored, workspace=workspace, name=name, by=by)
    return saved


def save_taxonomy(
    *,
    workspace: Workspace,
    name: str,
    source: str,
    taxonomy: Taxonomy | None = None,
    by: Actor | None = None,
) -> Taxonomy:
    """Store a taxonomy, or what `taxonomy` is from now on, as its next version.

    Raises DomainError where the source cannot be read, naming line and field.
    """
    saved: Taxonomy = _save(_TAXONOMY, source, taxonomy, workspace=workspace, name=name, by=by)
    return saved


@dataclass(frozen=True, slots=True)
class _Kind:
    """One of the things taught: where its content stands, how it is checked, what is accepted."""

    model: Any
    deed: str
    field: str
    check: Callable[[Any], object]
    accepted: str


_POLICY = _Kind(ReplyPolicy, "save_policy", "source", read_policy, "a reply policy in YAML")
_TAXONOMY = _Kind(Taxonomy, "save_taxonomy", "source", read_taxonomy, "a taxonomy in YAML")
_SCHEMA = _Kind(
    ExtractionSchema, "save_schema", "schema", check_schema, "a JSON Schema 2020-12 with properties"
)


def _save(
    kind: _Kind, content: Any, stored: Any, *, workspace: Workspace, name: str, by: Actor | None
) -> Any:
    """Store what is taught; another content is another version, which is kept."""
    try:
        kind.check(content)
    except ValueError as error:
        raise invalid(kind.field, str(error), kind.accepted) from error
    if _has_nul(content):
        raise invalid(kind.field, "It holds a character NUL.", kind.accepted)
    with transaction.atomic():
        name = _free_name(kind.model.objects.filter(workspace=workspace), name, stored)
        if stored is None:
            stored = kind.model(workspace=workspace, name=name, **{kind.field: content})
        else:
            stored = kind.model.objects.select_for_update().get(pk=stored.pk)
            before = getattr(stored, kind.field)
            if (stored.name, before) == (name, content):
                return stored
            stored.version += before != content
            stored.name = name
            setattr(stored, kind.field, content)
        stored.save()
        stored.versions.get_or_create(
            version=stored.version,
            defaults={"source": text_of(content), "saved_by_name": by.name if by else ""},
        )
        if by is not None:
            _tell(kind, stored, by)
    return stored


def _has_nul(value: Any) -> bool:
    """Whether a text anywhere in it has a NUL, which PostgreSQL stores nowhere."""
    if isinstance(value, dict):
        return any(_has_nul(part) for item in value.items() for part in item)
    if isinstance(value, list):
        return any(map(_has_nul, value))
    return isinstance(value, str) and "\0" in value


def _tell(kind: _Kind, stored: Any, by: Actor) -> None:
    """Publish what a person saved, for its receipt."""
    payload = {
        "workspace_id": stored.workspace_id, "deed": kind.deed, "id": stored.public_id,
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
        raise invalid("name", "It needs a name.", "at most 200 characters")
    others = rows.exclude(pk=itself.pk) if itself else rows
    if others.filter(name=name).exists():
        raise DomainError("conflict", f"There is one called {name!r} already.", field="name")
    return name
