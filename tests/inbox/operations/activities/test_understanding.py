"""The defaults of a workspace, and saving what is its own."""

import pytest
from django.db.models.signals import pre_save

from inbox.errors import DomainError
from inbox.models import ExtractionSchema, ReplyPolicy, Taxonomy, Workspace
from inbox.operations.accounts.workspaces import create_workspace
from inbox.operations.activities.understanding import (
    DEFAULTS,
    ensure_defaults,
    save_version,
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
    policy = save_version(ReplyPolicy, workspace=workspace, name="Own", content="tone: formal")
    policy = save_version(
        ReplyPolicy, workspace=workspace, name="Own", content="tone: brief", stored=policy
    )
    assert policy.version == 2
    assert list(policy.versions.order_by("version").values_list("version", "source")) == [
        (1, "tone: formal"), (2, "tone: brief"),
    ]  # fmt: skip


def test_a_policy_that_stays_the_same_or_is_renamed_keeps_its_version(workspace):
    policy = save_version(ReplyPolicy, workspace=workspace, name="Own", content="tone: formal")
    for name in ("Own", "Ours"):
        policy = save_version(
            ReplyPolicy, workspace=workspace, name=name, content="tone: formal", stored=policy
        )
        assert (policy.name, policy.version, policy.versions.count()) == (name, 1, 1)


def test_a_schema_and_a_taxonomy_have_versions(workspace):
    stored = save_version(ExtractionSchema, workspace=workspace, name="Own", content=SCHEMA)
    changed = {**SCHEMA, "required": ["total"]}
    stored = save_version(
        ExtractionSchema, workspace=workspace, name="Own", content=changed, stored=stored
    )
    assert (stored.version, stored.schema) == (2, changed)
    ensure_defaults(workspace)
    taxonomy = Taxonomy.objects.get()
    source = taxonomy.source + "\n# ours\n"
    taxonomy = save_version(
        Taxonomy, workspace=workspace, name="T", content=source, stored=taxonomy
    )
    assert (taxonomy.version, taxonomy.name) == (2, "T")


@pytest.mark.parametrize(
    ("model", "values", "field"),
    [
        (ReplyPolicy, {"content": "tone: rude"}, "source"),
        (ExtractionSchema, {"content": {"type": "nothing"}}, "schema"),
        (ExtractionSchema, {"content": {"$ref": "https://evil.example/schema"}}, "schema"),
        (Taxonomy, {"content": "[]"}, "source"),
        (ReplyPolicy, {"content": "", "name": " "}, "name"),
    ],
)
def test_what_cannot_be_read_is_not_saved(workspace, model, values, field):
    with pytest.raises(DomainError) as caught:
        save_version(model, workspace=workspace, **{"name": "Own", **values})
    assert (caught.value.code, caught.value.field) == ("invalid_input", field)


@pytest.mark.parametrize(
    ("model", "content"),
    [
        (ReplyPolicy, ""),
        (Taxonomy, (DEFAULTS / "taxonomy.yaml").read_text()),
        (ExtractionSchema, SCHEMA),
    ],
)
def test_one_of_the_same_name_stored_at_the_same_moment_is_a_conflict(workspace, model, content):
    """Somebody else's is there between looking for the name and storing."""

    def store_before(sender, instance, **_):
        if instance.pk is None:
            field = "schema" if model is ExtractionSchema else "source"
            model.objects.bulk_create([model(workspace=workspace, name="Own", **{field: content})])

    pre_save.connect(store_before, sender=model)
    try:
        with pytest.raises(DomainError) as caught:
            save_version(model, workspace=workspace, name="Own", content=content)
    finally:
        pre_save.disconnect(store_before, sender=model)
    assert (caught.value.code, caught.value.field) == ("conflict", "name")


def test_two_of_one_name_are_refused(workspace):
    save_version(ReplyPolicy, workspace=workspace, name="Own", content="")
    with pytest.raises(DomainError) as caught:
        save_version(ReplyPolicy, workspace=workspace, name="Own", content="tone: brief")
    assert caught.value.code == "conflict"


@pytest.mark.parametrize(
    "properties",
    [{"a\0b": {"type": "string"}}, {"a": {"enum": ["x", "y\0"]}}],
    ids=["name", "value"],
)
def test_a_schema_with_a_nul_is_refused_at_the_field(workspace, properties):
    schema = {"type": "object", "properties": properties}
    with pytest.raises(DomainError) as refused:
        save_version(ExtractionSchema, workspace=workspace, name="Odd", content=schema)
    assert refused.value.field == "schema"
    assert not ExtractionSchema.objects.filter(name="Odd").exists()
