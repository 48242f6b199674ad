"""The defaults of a workspace, and saving what is its own."""

import pytest

from inbox.errors import DomainError
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy, Workspace
from inbox.operations.accounts.workspaces import create_workspace
from inbox.operations.activities.understanding import (
    ensure_defaults,
    save_policy,
    save_schema,
    save_taxonomy,
)
from inbox.policies import read_policy

pytestmark = pytest.mark.django_db
SCHEMA = {"type": "object", "properties": {"total": {"type": "number"}}}


def test_a_new_workspace_has_a_taxonomy_schemas_and_a_policy():
    workspace = create_workspace(name=" Lantern ", slug="lantern")
    assert workspace.name == "Lantern"
    assert Taxonomy.objects.get(workspace=workspace).version == 1
    names = ExtractionSchema.objects.filter(workspace=workspace).values_list("name", flat=True)
    assert sorted(names) == ["Contact", "Invoice", "Meeting", "Order"]
    assert read_policy(ReplyPolicy.objects.get(workspace=workspace).source).tone == "friendly"


def test_defaults_are_added_once():
    workspace = create_workspace(name="Lantern", slug="lantern")
    ensure_defaults(workspace)
    assert ExtractionSchema.objects.count() == 4
    assert ReplyPolicy.objects.count() == Taxonomy.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "slug", "code"),
    [
        ("", "x", "invalid_input"),
        ("x" * 201, "x", "invalid_input"),
        ("X", "no slug", "invalid_input"),
        ("X", "x" * 51, "invalid_input"),
        ("X", "taken", "conflict"),
    ],
)
def test_a_workspace_that_cannot_be_made_is_not(name, slug, code):
    create_workspace(name="Taken", slug="taken")
    with pytest.raises(DomainError) as caught:
        create_workspace(name=name, slug=slug)
    assert caught.value.code == code
    assert Workspace.objects.count() == 1


def test_every_version_of_a_policy_is_kept(workspace):
    policy = save_policy(workspace=workspace, name="Own", source="tone: formal")
    policy = save_policy(workspace=workspace, name="Own", source="tone: brief", policy=policy)
    assert policy.version == 2
    assert list(policy.versions.order_by("version").values_list("version", "source")) == [
        (1, "tone: formal"), (2, "tone: brief"),
    ]  # fmt: skip


def test_a_policy_that_stays_the_same_or_is_renamed_keeps_its_version(workspace):
    policy = save_policy(workspace=workspace, name="Own", source="tone: formal")
    for name in ("Own", "Ours"):
        policy = save_policy(workspace=workspace, name=name, source="tone: formal", policy=policy)
        assert (policy.name, policy.version, policy.versions.count()) == (name, 1, 1)


def test_a_schema_and_a_taxonomy_have_versions(workspace):
    stored = save_schema(workspace=workspace, name="Own", schema=SCHEMA)
    changed = {**SCHEMA, "required": ["total"]}
    stored = save_schema(workspace=workspace, name="Own", schema=changed, stored=stored)
    assert (stored.version, stored.schema) == (2, changed)
    ensure_defaults(workspace)
    taxonomy = Taxonomy.objects.get()
    source = taxonomy.source + "\n# ours\n"
    taxonomy = save_taxonomy(workspace=workspace, name="T", source=source, taxonomy=taxonomy)
    assert (taxonomy.version, taxonomy.name) == (2, "T")


@pytest.mark.parametrize(
    ("save", "values", "field"),
    [
        (save_policy, {"source": "tone: rude"}, "source"),
        (save_schema, {"schema": {"type": "nothing"}}, "schema"),
        (save_schema, {"schema": {"$ref": "https://evil.example/schema"}}, "schema"),
        (save_taxonomy, {"source": "[]"}, "source"),
        (save_policy, {"source": "", "name": " "}, "name"),
    ],
)
def test_what_cannot_be_read_is_not_saved(workspace, save, values, field):
    with pytest.raises(DomainError) as caught:
        save(workspace=workspace, **{"name": "Own", **values})
    assert (caught.value.code, caught.value.field) == ("invalid_input", field)


def test_two_of_one_name_are_refused(workspace):
    save_policy(workspace=workspace, name="Own", source="")
    with pytest.raises(DomainError) as caught:
        save_policy(workspace=workspace, name="Own", source="tone: brief")
    assert caught.value.code == "conflict"


@pytest.mark.parametrize(
    "properties",
    [{"a\0b": {"type": "string"}}, {"a": {"enum": ["x", "y\0"]}}],
    ids=["name", "value"],
)
def test_a_schema_with_a_nul_is_refused_at_the_field(workspace, properties):
    schema = {"type": "object", "properties": properties}
    with pytest.raises(DomainError) as refused:
        save_schema(workspace=workspace, name="Odd", schema=schema)
    assert refused.value.field == "schema"
    assert not ExtractionSchema.objects.filter(name="Odd").exists()
