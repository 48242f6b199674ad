"""Policies, taxonomies and schemas: tried on past mail, saved in versions, and brought back."""

import json
from time import monotonic

import pytest
from django.db.models.signals import pre_save
from django.test import Client

from inbox.admin.understanding import fields_help
from inbox.admin.understanding.lines import compare_lines
from inbox.classify.triage import TaxonomyFields
from inbox.models import ExtractionSchema, ReplyPolicy, Role, Submission, Taxonomy
from inbox.operations.activities.understanding import save_version
from inbox.policies.fields import PolicyFields
from inbox.trials import past
from tests import factories
from tests.agents.admin.desk import propose
from tests.patience import LONG

pytestmark = pytest.mark.django_db
FRAGMENT = {"X-Fragment": "1"}
TAXONOMY = """
intents:
  - name: offer
    route: sales
    phrases: [the offer]
default: {intent: other, route: office}
"""
SCHEMA = {"type": "object", "properties": {"order_number": {"type": "string"}}}
HOSTILE = "<script>alert(1)</script>"


def sign_in(workspace, role=Role.OWNER):
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


@pytest.fixture
def owner(workspace):
    return sign_in(workspace)


@pytest.fixture
def policy(workspace):
    return save_version(
        ReplyPolicy, workspace=workspace, name="House", content="forbidden_phrases: [Lantern]\n"
    )


def try_it(client, row, text, **more):
    field = "schema" if isinstance(row, ExtractionSchema) else "source"
    place = f"/admin/inbox/{row._meta.model_name}/{row.pk}/try/"
    return client.post(place, {field: text, "name": row.name, **more}, headers=FRAGMENT)


# -- policies ----------------------------------------------------------------------------------


def test_a_policy_is_tried_on_past_proposals_and_says_before_and_after(owner, policy, actor, inbox):
    propose(actor, factories.make_message(inbox).thread)
    source = "forbidden_phrases:\n  - {phrase: until Friday, block: true}\n"
    answer = try_it(owner, policy, source)
    assert answer.context["trial"].stopped == 1
    text = answer.content.decode()
    assert "Would have stopped 1 of one message" in text
    assert "<mark>until Friday</mark>" in text
    assert "would no longer say" in text
    assert "<del>forbidden_phrases: [Lantern]</del>" in text
    back = try_it(owner, save(owner, policy, source), "tone: formal\n")
    assert back.context["trial"].passed == 1


def save(client, row, source):
    place = f"/admin/inbox/replypolicy/{row.pk}/change/"
    client.post(place, {"name": row.name, "source": source})
    row.refresh_from_db()
    return row


def test_trying_changes_nothing(owner, policy, actor, inbox):
    propose(actor, factories.make_message(inbox).thread)
    before = (*Submission.objects.values_list("state"), policy.updated_at)
    try_it(owner, policy, "tone: brief\n")
    policy.refresh_from_db()
    assert (*Submission.objects.values_list("state"), policy.updated_at) == before
    assert (policy.version, policy.source) == (1, "forbidden_phrases: [Lantern]\n")


def test_mail_that_was_sent_elsewhere_is_past_mail_too(owner, policy, inbox):
    factories.make_message(inbox, direction="outbound", text="All the best from Lantern")
    answer = try_it(owner, policy, "forbidden_phrases: [Lantern, all the best]\n")
    (tried,) = answer.context["trial"].tried
    assert (tried.change, len(tried.added), len(tried.kept)) == ("finds more", 1, 1)


def test_only_the_chosen_inbox_and_days_are_tried_on(owner, policy, workspace, inbox):
    other = factories.make_inbox(workspace)
    for each in (inbox, other):
        factories.make_message(each, direction="outbound")
    tried = try_it(owner, policy, "", inbox=other.pk).context["trial"].tried
    assert len(tried) == 1
    # The factories' mail is of long ago, or of a day to come.
    assert len(try_it(owner, policy, "").context["trial"].tried) == 2


def test_another_workspace_s_letters_and_inboxes_are_never_tried_on(owner, policy, inbox):
    foreign = factories.make_inbox(factories.make_workspace())
    factories.make_message(foreign, direction="outbound", text="Theirs")
    answer = try_it(owner, policy, "", inbox=foreign.pk)
    assert answer.context["trial"].tried == ()
    assert "Theirs" not in answer.content.decode()


def test_a_pattern_that_would_take_for_ever_is_cut_short_and_said(
    owner, policy, inbox, monkeypatch
):
    monkeypatch.setattr(past, "SECONDS", 0.5)
    for _ in range(50):
        factories.make_message(inbox, direction="outbound", text="a" * 4000 + "!")
    slow = "forbidden_phrases:\n" + "".join(
        f"  - '/(a|aa|a{{1,{number}}})+$/'\n" for number in range(2, 42)
    )
    began = monotonic()
    answer = try_it(owner, policy, slow)
    assert monotonic() - began < LONG
    assert answer.context["trial"].left_out > 0
    assert "were skipped" in answer.content.decode()


def test_what_cannot_be_read_says_line_and_field(owner, policy):
    text = try_it(owner, policy, "max_length: 10\ntone: shrill\n").content.decode()
    assert "Line 2" in text
    assert "<code><bdi>tone</bdi></code>" in text
    answer = owner.post("/admin/inbox/replypolicy/check/", {"source": "max_length: 1\ntone: x\n"})
    said = answer.json()
    assert (said["ok"], said["line"], said["field"]) == (False, 2, "tone")
    assert owner.post("/admin/inbox/replypolicy/check/", {"source": "tone: brief"}).json()["ok"]


def test_hostile_mail_and_patterns_do_nothing_on_the_page(owner, policy, inbox):
    factories.make_message(inbox, direction="outbound", text=HOSTILE, subject=HOSTILE)
    source = f'forbidden_phrases: ["{HOSTILE}"]\n'
    text = try_it(owner, policy, source).content.decode()
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text


def test_without_scripts_the_whole_page_comes_with_what_was_written(owner, policy, inbox):
    place = f"/admin/inbox/replypolicy/{policy.pk}/try/"
    text = owner.post(place, {"name": "Other", "source": "tone: brief\n"}).content.decode()
    assert "tone: brief" in text
    assert 'value="Other"' in text
    assert "There is no earlier message" in text


def test_a_new_policy_is_tried_before_it_is_there(owner, inbox):
    factories.make_message(inbox, direction="outbound", text="Nothing is guaranteed")
    answer = owner.post(
        "/admin/inbox/replypolicy/try/", {"source": "forbidden_phrases: [guaranteed]"},
        headers=FRAGMENT,
    )  # fmt: skip
    assert answer.context["trial"].tried[0].change == "finds more"
    assert not ReplyPolicy.objects.exists()


# -- taxonomies and schemas --------------------------------------------------------------------


def test_a_taxonomy_shows_what_would_be_sorted_otherwise_first(owner, workspace, inbox):
    row = save_version(Taxonomy, workspace=workspace, name="Own", content=TAXONOMY)
    factories.make_message(inbox, text="Where is the offer?", subject="Hello")
    factories.make_message(inbox, text="Good morning", subject="Hello", sender="bo@other.example")
    answer = try_it(owner, row, TAXONOMY.replace("sales", "desk"))
    first, second = answer.context["trial"].tried
    assert (first.now.suggested_route, first.then.suggested_route) == ("sales", "desk")
    assert (answer.context["trial"].changed, second.is_changed) == (1, False)
    assert "Would sort 1 of 2 messages differently" in answer.content.decode()


def test_a_schema_shows_what_would_be_found_in_the_chosen_message(owner, workspace, inbox):
    row = save_version(ExtractionSchema, workspace=workspace, name="Own", content=SCHEMA)
    asked = factories.make_message(inbox, text="About order number KW-10412: where is it?")
    factories.make_message(inbox, text="Nothing of it")
    wanted = {
        **SCHEMA,
        "properties": {**SCHEMA["properties"], "email": {"type": "string", "format": "email"}},
    }
    answer = try_it(owner, row, json.dumps(wanted), message=f"/admin/messages/{asked.public_id}/")
    (tried,) = answer.context["trial"].tried
    assert tried.then.data["order_number"] == "KW-10412"
    assert [value.name for value in tried.values if value.is_changed] == ["email"]
    assert len(try_it(owner, row, json.dumps(wanted)).context["trial"].tried) == 2
    assert try_it(owner, row, json.dumps(wanted), message="msg_no").context["trial"].tried == ()


def test_another_workspace_s_message_is_not_found(owner, workspace, inbox):
    row = save_version(ExtractionSchema, workspace=workspace, name="Own", content=SCHEMA)
    foreign = factories.make_message(factories.make_inbox(factories.make_workspace()))
    answer = try_it(owner, row, json.dumps(SCHEMA), message=foreign.public_id)
    assert answer.context["trial"].tried == ()


@pytest.mark.parametrize(
    ("text", "line"),
    [('{\n "type": "object",\n}', 3), ('{"properties": {\n"a": {"type": "x"}}}', 2)],
)
def test_a_schema_that_cannot_be_read_says_where(owner, text, line):
    said = owner.post("/admin/inbox/extractionschema/check/", {"schema": text}).json()
    assert (said["ok"], said["line"]) == (False, line)


# -- versions ----------------------------------------------------------------------------------


def test_versions_are_read_compared_and_brought_back(owner, policy):
    save(owner, policy, "tone: brief\n")
    place = f"/admin/inbox/replypolicy/{policy.pk}/versions/"
    text = owner.get(place).content.decode()
    assert "What changed from version 1 to version 2" in text
    assert "<ins>tone: brief</ins>" in text
    owner.post(f"{place}1/restore/")
    policy.refresh_from_db()
    assert (policy.version, policy.source) == (3, "forbidden_phrases: [Lantern]\n")
    assert policy.versions.count() == 3
    assert "version 3 to version 2" in owner.get(f"{place}?from=3&to=2").content.decode()
    assert owner.get(f"{place}?from=x&to=99").status_code == 200


def test_schemas_and_taxonomies_keep_theirs_with_who_saved_them(owner, workspace):
    schema = save_version(ExtractionSchema, workspace=workspace, name="Own", content=SCHEMA)
    taxonomy = save_version(Taxonomy, workspace=workspace, name="Own", content=TAXONOMY)
    place = f"/admin/inbox/extractionschema/{schema.pk}/"
    changed = {**SCHEMA, "title": "Order"}
    owner.post(f"{place}change/", {"name": "Own", "schema": json.dumps(changed)})
    assert schema.versions.get(version=2).saved_by_name != ""
    owner.post(f"{place}versions/1/restore/")
    schema.refresh_from_db()
    assert (schema.version, schema.schema) == (3, SCHEMA)
    assert taxonomy.versions.get().source == TAXONOMY


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.VIEWER])
def test_who_is_no_owner_reads_and_does_nothing(workspace, policy, role):
    client = sign_in(workspace, role)
    page = f"/admin/inbox/replypolicy/{policy.pk}/"
    text = client.get(f"{page}change/").content.decode()
    assert "forbidden_phrases: [Lantern]" in text
    assert "Try it" not in text
    assert client.get(f"{page}versions/").status_code == 200
    assert try_it(client, policy, "").status_code == 403
    assert client.post(f"{page}versions/1/restore/").status_code == 403
    assert client.post("/admin/inbox/replypolicy/check/", {"source": ""}).status_code == 403


def test_a_stranger_finds_nothing_and_nothing_is_done_by_get(owner, policy):
    client = sign_in(factories.make_workspace())
    page = f"/admin/inbox/replypolicy/{policy.pk}/"
    assert try_it(client, policy, "").status_code == 404
    assert client.get(f"{page}versions/").status_code == 404
    assert client.post(f"{page}versions/1/restore/").status_code == 404
    for action in ("try/", "versions/1/restore/"):
        assert owner.get(page + action).status_code == 405


# -- beside the editor -------------------------------------------------------------------------


def test_every_field_there_is_is_explained_with_an_example_that_can_be_read():
    assert {name for name, _, _ in fields_help.POLICY} == set(PolicyFields.model_fields)
    assert {name for name, _, _ in fields_help.TAXONOMY} == set(TaxonomyFields.model_fields)


def test_every_example_of_a_policy_can_be_saved(workspace):
    for name, _, example in fields_help.POLICY:
        save_version(ReplyPolicy, workspace=workspace, name=name, content=example)
    whole = "\n".join(example for _, _, example in fields_help.TAXONOMY)
    save_version(Taxonomy, workspace=workspace, name="Whole", content=whole)
    assert Taxonomy.objects.count() == 1


def test_a_difference_by_lines_keeps_three_lines_around():
    before = "".join(f"line {number}\n" for number in range(40))
    lines = compare_lines(before, before.replace("line 20\n", "line twenty\n"))
    assert [line.kind for line in lines] == [
        "gap",
        *["same"] * 3,
        "removed",
        "added",
        *["same"] * 3,
    ]
    assert [line.number for line in lines if line.kind in {"removed", "added"}] == [21, 21]


def test_corrections_are_found_where_taxonomies_are(owner, workspace):
    row = save_version(Taxonomy, workspace=workspace, name="Desk", content=TAXONOMY)
    for place in ("", f"{row.pk}/change/"):
        assert 'href="/admin/corrections/"' in owner.get(f"/admin/inbox/taxonomy/{place}").text
    assert "/admin/inbox/taxonomy/add/" in owner.get("/admin/inbox/taxonomy/").text


def test_a_name_that_somebody_took_at_the_same_moment_is_said_at_its_field(owner, workspace):
    def store_before(sender, instance, **_):
        ReplyPolicy.objects.bulk_create([ReplyPolicy(workspace=workspace, name="Ours", source="")])

    pre_save.connect(store_before, sender=ReplyPolicy)
    try:
        given = {"workspace": workspace.pk, "name": "Ours", "source": "tone: formal\n"}
        page = owner.post("/admin/inbox/replypolicy/add/", given)
    finally:
        pre_save.disconnect(store_before, sender=ReplyPolicy)
    assert page.status_code == 200
    assert page.context["form"].errors["name"] == ["'Ours' already exists."]
