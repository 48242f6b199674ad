"""Two workspaces: nothing of one is ever seen from the other, by any tool and any id it takes."""

import copy
import json

import pytest
from django.apps import apps
from django.test import Client

from agents.contracts import REGISTRY
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Receipt
from agents.operations.agents import known_scopes
from inbox import ids
from inbox.models import Activity
from tests import factories
from tests.agents.browsing import browse, kind_of, named_in
from tests.agents.furnishing import PUBLIC_ID, two_worlds
from tests.cases import in_one_test, taken_back

pytestmark = pytest.mark.django_db
CANARY, OURS = "canary", "walnut"


def each(test):
    """Try it with every tool, none of which finds what another has changed."""
    return in_one_test("name", [found.name for found in REGISTRY.tools])(taken_back(test))


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(two_worlds)


def as_called(name, arguments):
    """The name and arguments under which a tool is called; an action of a service by its fold."""
    if REGISTRY.tool(name).listed:
        return name, arguments
    fold, action = name.split(".")
    return fold, {"action": action, **arguments}


def answer(name, arguments, actor):
    try:
        return call(*as_called(name, arguments), actor).result
    except ToolError as error:
        return error.as_json()


def id_places(value, path=()):
    """Where in the arguments an id stands."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from id_places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from id_places(inner, (*path, index))
    elif isinstance(value, str) and PUBLIC_ID.fullmatch(value):
        yield path


def at(value, path):
    for step in path:
        value = value[step]
    return value


def blank(result, given):
    """An answer with the id that the caller itself gave left blank."""
    return json.loads(json.dumps(result).replace(given, "…"))


def exchanged(arguments, path, value):
    changed = copy.deepcopy(arguments)
    at(changed, path[:-1])[path[-1]] = value
    return changed


@each
def test_every_tool_runs_and_no_answer_holds_anything_of_another_workspace(ours, theirs, name):
    result = answer(name, ours.calls[name], ours.actor)
    assert "code" not in result or result["code"] == "approval_required"
    assert CANARY not in json.dumps(result)
    shown = json.dumps(answer(name, theirs.calls[name], ours.actor)).replace(
        CANARY + ".example", ""
    )
    given = json.dumps(theirs.calls[name])
    assert CANARY in given or CANARY not in shown
    assert OURS not in json.dumps(answer(name, theirs.calls[name], theirs.actor))


@each
def test_foreign_absent_and_malformed_ids_answer_alike(ours, theirs, name):
    assert_alike(ours, theirs, name)


def assert_alike(ours, theirs, name):
    """Assert that of each id in a call it makes no difference whose it would be."""
    base, foreign = ours.calls[name], theirs.calls[name]
    for path in id_places(base):
        prefix = at(base, path).partition("_")[0]
        spellings = [
            at(foreign, path),
            ids.encode(prefix, 10**9),
            ids.encode(prefix, 0, 10**9),
            f"{prefix}_none",
        ]
        answers = [
            blank(answer(name, exchanged(base, path, one), ours.actor), one) for one in spellings
        ]
        assert all(one == answers[0] for one in answers), (path, answers)
        if name != "classify_activity":
            pointer = "/" + "/".join(str(step) for step in path)
            assert answers[0]["code"] == "not_found", (path, answers[0])
            assert answers[0]["details"]["pointer"] == pointer


@in_one_test("name", [found.name for found in REGISTRY.tools if found.needs_scope])
@taken_back
def test_every_tool_opens_with_its_own_scope_and_with_no_other(ours, name):
    scope = REGISTRY.tool(name).scope
    rest = frozenset(known_scopes()) - {scope}
    without = factories.agent_actor(ours.agents[0], rest)
    refused = answer(name, ours.calls[name], without)
    assert refused["code"] == "permission_denied"
    assert refused["details"] == {"scope": scope}
    alone = factories.agent_actor(ours.agents[0], frozenset({scope}))
    allowed = answer(name, ours.calls[name], alone)
    assert "code" not in allowed or allowed["code"] == "approval_required"


def test_looking_around_alone_needs_no_scope():
    assert [found.name for found in REGISTRY.tools if not found.needs_scope] == ["look_around"]


def test_every_tool_is_furnished(ours):
    assert set(ours.calls) == {found.name for found in REGISTRY.tools}


def test_foreign_activities_do_not_exist(ours, theirs):
    arguments = {
        "activity_ids": [ours.rows["activity"].public_id, theirs.rows["activity"].public_id],
        "updates": {"status": "archived"},
    }
    with pytest.raises(ToolError) as caught:
        call("update_activities", arguments, ours.actor)
    assert (caught.value.code, caught.value.details["pointer"]) == ("not_found", "/activity_ids/1")
    assert not Activity.objects.filter(status="archived").exists()


def rows_of(place):
    """Every row of a workspace, by its table."""
    return {
        model.__name__: list(model._base_manager.filter(workspace=place).order_by("pk").values())
        for model in apps.get_models()
        if any(field.name == "workspace" for field in model._meta.concrete_fields)
    }


def signed_in(world):
    client = Client()
    client.force_login(world.rows["owner"])
    return client


def test_no_page_and_no_form_of_another_workspace_is_there(ours, theirs):
    pages = browse(signed_in(theirs), of_a_kind=1)
    assert [place for place, text in pages.items() if OURS in text] == []
    places = named_in(pages, of_a_kind=1)
    before, client = rows_of(theirs.workspace), signed_in(ours)
    shown = []
    for place in places:
        for answered in (client.get(place), client.post(place)):
            text = b"" if answered.streaming else answered.content
            if CANARY in text.decode(errors="replace"):
                shown.append((place, answered.request["REQUEST_METHOD"]))
    assert shown == []
    assert client.get("/admin/").status_code == 200
    changed = {name for name, rows in rows_of(theirs.workspace).items() if rows != before[name]}
    assert changed == set()
    assert len({kind_of(place) for place in places}) > 60, {kind_of(place) for place in places}


def test_receipts_stay_in_their_workspace(ours, theirs):
    before = Receipt.objects.exclude(workspace_id=ours.workspace.pk).count()
    call("get_thread", ours.calls["get_thread"], ours.actor)
    assert Receipt.objects.exclude(workspace_id=ours.workspace.pk).count() == before
