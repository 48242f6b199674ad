"""What a workspace teaches Chancery: the defaults it starts with, and saving what is its own."""

import json
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from inbox.errors import DomainError, invalid
from inbox.extract import check_schema
from inbox.models import (
    ExtractionSchema,
    ReplyPolicy,
    ReplyPolicyVersion,
    Taxonomy,
    Workspace,
)
from inbox.policies import read_policy
from inbox.triage import read_taxonomy

DEFAULTS = Path(__file__).resolve().parent.parent / "defaults"
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
    *, workspace: Workspace, name: str, source: str, policy: ReplyPolicy | None = None
) -> ReplyPolicy:
    """Store a reply policy, or what `policy` is from now on, as its next version.

    Raises DomainError where the source cannot be read, naming line and field.
    """
    try:
        read_policy(source)
    except ValueError as error:
        raise invalid("source", str(error), "a reply policy in YAML") from error
    with transaction.atomic():
        name = _free_name(ReplyPolicy.objects.filter(workspace=workspace), name, policy)
        if policy is None:
            policy = ReplyPolicy(workspace=workspace, name=name, source=source)
        else:
            policy = ReplyPolicy.objects.select_for_update().get(pk=policy.pk)
            if (policy.name, policy.source) == (name, source):
                return policy
            policy.version += policy.source != source
            policy.name, policy.source = name, source
        policy.save()
        ReplyPolicyVersion.objects.get_or_create(
            policy=policy, version=policy.version, defaults={"source": source}
        )
    return policy


def save_schema(
    *,
    workspace: Workspace,
    name: str,
    schema: dict[str, Any],
    stored: ExtractionSchema | None = None,
) -> ExtractionSchema:
    """Store an extraction schema, or what `stored` is from now on, as its next version.

    Raises DomainError where it is no JSON Schema 2020-12 that extraction can fill in.
    """
    try:
        check_schema(schema)
    except ValueError as error:
        raise invalid("schema", str(error), "a JSON Schema 2020-12 with properties") from error
    with transaction.atomic():
        name = _free_name(ExtractionSchema.objects.filter(workspace=workspace), name, stored)
        if stored is None:
            stored = ExtractionSchema(workspace=workspace, name=name, schema=schema)
        else:
            stored = ExtractionSchema.objects.select_for_update().get(pk=stored.pk)
            stored.version += stored.schema != schema
            stored.name, stored.schema = name, schema
        stored.save()
    return stored


def save_taxonomy(
    *, workspace: Workspace, name: str, source: str, taxonomy: Taxonomy | None = None
) -> Taxonomy:
    """Store a taxonomy, or what `taxonomy` is from now on, as its next version.

    Raises DomainError where the source cannot be read, naming line and field.
    """
    try:
        read_taxonomy(source)
    except ValueError as error:
        raise invalid("source", str(error), "a taxonomy in YAML") from error
    with transaction.atomic():
        name = _free_name(Taxonomy.objects.filter(workspace=workspace), name, taxonomy)
        if taxonomy is None:
            taxonomy = Taxonomy(workspace=workspace, name=name, source=source)
        else:
            taxonomy = Taxonomy.objects.select_for_update().get(pk=taxonomy.pk)
            taxonomy.version += taxonomy.source != source
            taxonomy.name, taxonomy.source = name, source
        taxonomy.save()
    return taxonomy


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
