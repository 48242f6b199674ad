"""Looking around: who the caller is, and every id that is no mail, event or file."""

import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from agents.contracts import REGISTRY
from agents.directory import KINDS
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import AgentStatus, Receipt
from agents.surfaces.forms import FORMATS, list_tools
from agents.surfaces.mcp.profiles import PROFILES, allowed
from calendar_app.models import Calendar
from inbox.models import ExtractionSchema, Mailbox, ReplyPolicy, Taxonomy
from inbox.operations.activities.understanding import ensure_defaults
from inbox.operations.files import create_file, delete_file
from tests import factories

pytestmark = pytest.mark.django_db


def look(actor, **arguments):
    return call("look_around", arguments, actor).result


@pytest.fixture
def furnished(workspace, inbox, actor):
    ensure_defaults(workspace)
    own = {"workspace": workspace, "account": inbox.account}
    Calendar.objects.create(**own, name="Team")
    Calendar.objects.create(**own, name="Office", is_default=True)
    return actor


def test_an_agent_is_told_who_it_is(furnished, agent):
    told = look(furnished)["you"]
    assert (told["kind"], told["name"], told["agent_id"]) == ("agent", "Clerk", agent.public_id)
    assert told["workspaces"] == ["lantern"]
    assert set(told["scopes"]) == furnished.scopes


def test_it_gives_every_kind_with_names_and_what_counts_where_none_is_given(furnished, inbox):
    told = look(furnished)
    assert told["accounts"] == [
        {"id": inbox.account.public_id, "address": "office@lantern.example", "name": "Lantern",
         "default": True}
    ]  # fmt: skip
    assert told["inboxes"] == [
        {"id": inbox.public_id, "address": "office@lantern.example",
         "account_id": inbox.account.public_id, "default": True}
    ]  # fmt: skip
    archive = Mailbox.objects.get(inbox=inbox, role="archive")
    assert {
        "id": archive.public_id, "name": "Archive", "role": "archive",
        "inbox_id": inbox.public_id, "account_id": inbox.account.public_id,
    } in told["mailboxes"]  # fmt: skip
    assert [one["role"] for one in told["mailboxes"] if one.get("default")] == ["inbox"]
    assert [(one["name"], one.get("default")) for one in told["calendars"]] == [
        ("Team", None), ("Office", True),
    ]  # fmt: skip
    for kind, model in (("policies", ReplyPolicy), ("taxonomies", Taxonomy)):
        (only,) = told[kind]
        assert only == {"id": model.objects.get().public_id, "name": "Default", "default": True}
    schemas = {one["id"]: one["name"] for one in told["schemas"]}
    assert schemas == {row.public_id: row.name for row in ExtractionSchema.objects.all()}
    assert "more" not in told


def test_what_it_calls_the_default_policy_is_the_one_that_is_taken(furnished, workspace):
    ReplyPolicy.objects.create(workspace=workspace, name="Aardvark", source="{}")
    default = next(one for one in look(furnished)["policies"] if one.get("default"))
    letter = {"to": ["ada@customer.example"], "subject": "Offer", "body": "Here it is."}
    assert call("policy_check", letter, furnished).result["policy_id"] == default["id"]


def test_an_account_that_was_not_granted_is_nowhere_in_it(furnished, workspace):
    other = factories.make_inbox(workspace, "board@lantern.example")
    Calendar.objects.create(workspace=workspace, account=other.account, name="Board")
    foreign = factories.make_workspace("foreign")
    ensure_defaults(foreign)
    factories.make_inbox(foreign, "office@foreign.example")
    told = json.dumps(look(furnished)).lower()
    assert "board" not in told
    assert "foreign" not in told
    assert Taxonomy.objects.get(workspace=foreign).public_id.lower() not in told


def test_a_token_of_any_scope_may_look_and_sees_the_kinds_that_it_can_use(furnished, agent):
    clock = factories.agent_actor(agent, frozenset({"time:read"}))
    assert set(look(clock)) == {"you"}
    sharing = factories.agent_actor(agent, frozenset({"storage:send"}))
    assert set(look(sharing)) == {"you", "accounts", "files"}
    calendar = factories.agent_actor(agent, frozenset({"calendar:read"}))
    assert set(look(calendar)) == {"you", "accounts", "calendars"}
    mail = factories.agent_actor(agent, frozenset({"inbox:read"}))
    assert {"inboxes", "mailboxes", "taxonomies", "schemas"} <= set(look(mail))
    assert "calendars" not in look(mail)
    assert look(mail, kind="calendars") == {"calendars": []}


def test_the_other_agents_of_the_workspace_are_named_with_what_they_do(furnished, workspace, agent):
    scout = factories.make_agent(workspace, "Scout")
    scout.description = "Looks for prices"
    scout.save()
    factories.make_agent(factories.make_workspace("foreign"), "Stranger")
    told = look(furnished, kind="agents")["agents"]
    assert told == [
        {"id": agent.public_id, "name": "Clerk"},
        {"id": scout.public_id, "name": "Scout", "description": "Looks for prices"},
    ]
    assert look(furnished, kind="agents", search="scou")["agents"] == told[1:]


def test_files_that_can_be_shared_are_found_by_their_paths(furnished, workspace, inbox):
    write = {"actor": furnished, "account": inbox.account, "field": "path"}
    offer = create_file(path="/Offers/June offer.pdf", content=b"1", **write)
    gone = create_file(path="/Offers/May offer.pdf", content=b"2", **write)
    delete_file(actor=furnished, file=gone)
    board = factories.make_inbox(workspace, "board@lantern.example").account
    create_file(**{**write, "account": board}, path="/Board offer.pdf", content=b"3")
    (found,) = look(furnished, kind="files", search="offer pdf")["files"]
    assert found == {
        "id": offer.public_id, "path": "/Offers/June offer.pdf",
        "account_id": inbox.account.public_id,
    }  # fmt: skip


def test_it_needs_no_scope_of_its_own_and_leaves_a_receipt(furnished, agent):
    narrow = factories.agent_actor(agent, frozenset({"time:read"}))
    look(narrow)
    receipt = Receipt.objects.order_by("-pk").first()
    assert (receipt.tool, receipt.outcome, receipt.reason) == (
        "look_around",
        "ok",
        "needs no scope",
    )
    with pytest.raises(ToolError) as refused:
        call("list_approvals", {}, narrow)
    assert refused.value.code == "permission_denied"


def test_a_paused_agent_is_told_nothing(furnished, agent):
    agent.status = AgentStatus.PAUSED
    agent.save()
    with pytest.raises(ToolError) as refused:
        look(furnished)
    assert refused.value.code == "permission_denied"


def test_a_person_sees_what_is_in_the_workspaces_of_theirs(furnished, reviewer):
    told = look(factories.person_actor(reviewer))
    assert told["you"]["kind"] == "person"
    assert set(KINDS) <= set(told)


def test_every_profile_has_it_whatever_the_token_may(furnished):
    for profile in PROFILES.values():
        for scopes in (frozenset({"time:read"}), furnished.scopes):
            assert "look_around" in {one.name for one in allowed(profile, scopes)}, profile.name
            for form in FORMATS:
                assert "look_around" in json.dumps(list_tools(form, profile, scopes)), form


def with_many_mailboxes(inbox, count):
    Mailbox.objects.bulk_create(
        Mailbox(workspace=inbox.workspace, inbox=inbox, name=f"Project {number:03} of the firm")
        for number in range(count)
    )


def test_five_hundred_mailboxes_do_not_fill_the_answer(furnished, inbox):
    with_many_mailboxes(inbox, 500)
    told = look(furnished)
    assert len(told["mailboxes"]) == 20
    assert told["more"] == ["mailboxes"]
    assert len(json.dumps(told)) < 8000


def test_what_is_too_much_for_one_answer_is_paged_to_its_end(furnished, inbox):
    with_many_mailboxes(inbox, 250)
    seen, page = [], look(furnished, kind="mailboxes")
    while True:
        assert set(page) <= {"mailboxes", "more", "next_cursor"}
        seen += [one["id"] for one in page["mailboxes"]]
        if "next_cursor" not in page:
            break
        page = look(furnished, kind="mailboxes", cursor=page["next_cursor"])
    assert len(seen) == len(set(seen)) == 256


def test_a_search_finds_by_any_of_the_names(furnished, inbox):
    with_many_mailboxes(inbox, 50)
    assert [one["name"] for one in look(furnished, search="project 017")["mailboxes"]] == [
        "Project 017 of the firm"
    ]
    assert [one["address"] for one in look(furnished, search="LANTERN.example")["inboxes"]]
    assert look(furnished, search="nowhere")["mailboxes"] == []


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"kind": "people"}, "/kind"),
        ({"cursor": "x"}, ""),
        ({"kind": "mailboxes", "cursor": "x"}, "/cursor"),
        ({"search": "  "}, "/search"),
    ],
)
def test_what_it_cannot_look_for_is_refused(furnished, arguments, pointer):
    with pytest.raises(ToolError) as refused:
        look(furnished, **arguments)
    assert refused.value.code == "invalid_input"
    assert refused.value.details["errors"][0]["pointer"] == pointer


def test_its_statements_do_not_grow_with_what_there_is(furnished, workspace, inbox, agent):
    def statements(who):
        with CaptureQueriesContext(
            connection,
        ) as seen:
            look(who)
        return len(seen)

    look(furnished)
    few = statements(furnished)
    with_many_mailboxes(inbox, 100)
    more = tuple(factories.make_inbox(workspace) for _ in range(15))
    for number, one in enumerate(more):
        Calendar.objects.create(workspace=workspace, account=one.account, name=f"C{number}")
        agent.grants.create(account=one.account)
    assert statements(factories.agent_actor(agent)) == few


def test_the_names_of_the_kinds_are_those_of_the_contract():
    kinds = REGISTRY.schemas_of("look_around")[0]["properties"]["kind"]["enum"]
    assert kinds == list(KINDS)
