"""Context that agents share: who may read and change it, how long it lasts, all or nothing."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.contracts.families import mesh_code
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Agent, ContextEntry, ContextSubscription, Receipt
from agents.operations.sharing import contexts
from agents.operations.sharing.contexts import remove_expired
from tests import factories
from tests.patience import LONG

pytestmark = pytest.mark.django_db


@pytest.fixture
def scout(workspace):
    return factories.agent_actor(factories.make_agent(workspace, "Scout"))


@pytest.fixture
def scribe(workspace):
    return factories.agent_actor(factories.make_agent(workspace, "Scribe"))


def push(who, key="k", value=1, **more):
    arguments = {"agent_name": who.name, "key": key, "value": value, **more}
    return call("push_context", arguments, who).result


def get(who, key="k"):
    return call("get_context", {"agent_name": who.name, "key": key}, who).result


def keys(who, **more):
    return call("list_context_keys", {"agent_name": who.name, **more}, who).result


def batch(who, *operations, atomic=True):
    arguments = {"agent_name": who.name, "operations": list(operations), "atomic": atomic}
    return call("batch_context_operation", arguments, who).result


def refused(function, *args, **kwargs):
    with pytest.raises(ToolError) as caught:
        function(*args, **kwargs)
    return mesh_code(caught.value)


def end(key="k"):
    ContextEntry.objects.filter(key=key).update(expires_at=timezone.now() - timedelta(seconds=1))


def state():
    """Everything that is stored of the entries."""
    listed = ContextSubscription.objects.order_by("entry__key", "id")
    return (
        list(ContextEntry.objects.order_by("key").values()),
        list(listed.values_list("entry__key", "agent__name")),
    )


def test_a_push_answers_with_the_whole_entry(actor, scout):
    answer = push(actor, value={"a": None}, subscribers=["Scout", "Scout"], ttl=60)
    expires_at = answer.pop("expires_at")
    assert answer == {
        "success": True, "agent_name": "Clerk", "key": "k", "value": {"a": None},
        "subscribers": ["Scout"], "ttl": 60,
    }  # fmt: skip
    assert expires_at.endswith("Z")


def test_what_ends_never_says_null(actor):
    answer = push(actor)
    assert (answer["subscribers"], answer["ttl"], answer["expires_at"]) == ([], None, None)


@pytest.mark.parametrize(
    "value",
    ["1.0", "1", "-0.0", "null", "true", '""', "12345678901234567890123456789", "1e+22", "[]",
     '{"z":1,"a":{"y":null,"b":[1.50,"ü💌"]}}', "0.1"],
)  # fmt: skip
def test_a_value_comes_back_exactly(actor, scout, value):
    push(actor, value=json.loads(value))
    text = call("get_context", {"agent_name": "Scout", "key": "k"}, scout).json
    wanted = json.dumps(json.loads(value), separators=(",", ":"), ensure_ascii=False)
    assert f'"value":{wanted}' in text
    assert f'"context":{{"k":{wanted}}}' in text


def test_a_value_that_is_too_long_is_refused(actor):
    assert refused(push, actor, value="x" * 250_000) == "INVALID_PARAMETERS"
    assert not ContextEntry.objects.exists()


@pytest.mark.parametrize("ttl", [0, -1, 1.5, "60", True, 10**12])
def test_a_ttl_is_whole_seconds_from_one(actor, ttl):
    assert refused(push, actor, ttl=ttl) == "INVALID_PARAMETERS"


def test_without_subscribers_every_agent_reads_it(actor, scout):
    push(actor, value=7)
    answer = get(scout)
    assert (answer["value"], answer["context"], answer["key"]) == (7, {"k": 7}, "k")


def test_with_subscribers_those_and_the_author_read_it_and_nobody_else(actor, scout, scribe):
    push(actor, subscribers=["Scout"])
    assert get(actor)["value"] == get(scout)["value"] == 1
    assert refused(get, scribe) == "ACCESS_DENIED"
    assert keys(scribe)["available_keys"] == []
    assert keys(scout) == {
        "success": True, "agent_name": "Scout", "available_keys": ["k"], "count": 1,
    }  # fmt: skip


def test_a_removed_subscriber_does_not_open_the_entry_to_all(actor, scout, scribe):
    push(actor, subscribers=["Scout"])
    ContextSubscription.objects.all().delete()
    assert refused(get, scribe) == "ACCESS_DENIED"


def test_an_absent_key_and_an_expired_one_are_not_found(actor, scout):
    assert refused(get, actor) == "KEY_NOT_FOUND"
    push(actor, ttl=60, subscribers=["Scout"])
    end()
    assert refused(get, actor) == "KEY_NOT_FOUND"
    assert keys(actor)["count"] == 0
    assert (
        batch(actor, {"type": "delete", "key": "k"})["results"][0]["error_code"] == "KEY_NOT_FOUND"
    )


def test_an_expired_key_is_free_for_anybody(actor, scout, scribe):
    push(actor, ttl=60, subscribers=["Scout"])
    before = ContextEntry.objects.get().pk
    end()
    push(scribe, value=2)
    entry = ContextEntry.objects.get()
    assert (entry.author_id, entry.is_open, entry.expires_at) == (scribe.id, True, None)
    assert entry.pk != before
    assert get(actor)["value"] == 2


def test_only_the_author_overwrites(actor, scout):
    push(actor)
    assert refused(push, scout, value=2) == "ACCESS_DENIED"
    push(actor, value=3)
    assert get(scout)["value"] == 3


def test_pushing_again_replaces_subscribers_and_time_as_a_whole(actor, scout, scribe):
    push(actor, subscribers=["Scout"], ttl=60)
    push(actor, value=2)
    entry = ContextEntry.objects.get()
    assert (entry.is_open, entry.ttl, entry.expires_at) == (True, None, None)
    assert not ContextSubscription.objects.exists()
    assert get(scribe)["value"] == 2


def test_only_the_author_deletes(actor, scout):
    push(actor)
    result = batch(scout, {"type": "delete", "key": "k"})
    assert result["results"][0]["error_code"] == "ACCESS_DENIED"
    assert batch(actor, {"type": "delete", "key": "k"})["success"]
    assert refused(get, actor) == "KEY_NOT_FOUND"


def test_an_agent_speaks_in_its_own_name_only(actor, scout):
    foreign = factories.make_agent(factories.make_workspace(), "Stranger")
    for name, code in (("Scout", "ACCESS_DENIED"), (foreign.name, "INVALID_AGENT"),
                       ("Nobody", "INVALID_AGENT"), ("clerk", "INVALID_AGENT")):  # fmt: skip
        for tool, more in (("get_context", {"key": "k"}), ("list_context_keys", {}),
                           ("push_context", {"key": "k", "value": 1}),
                           ("batch_context_operation",
                            {"operations": [{"type": "get", "key": "k"}]})):  # fmt: skip
            assert refused(call, tool, {"agent_name": name, **more}, actor) == code
    assert not ContextEntry.objects.exists()


def test_a_subscriber_is_an_agent_of_the_workspace(actor):
    factories.make_agent(factories.make_workspace(), "Stranger")
    for name in ("Stranger", "Nobody"):
        assert refused(push, actor, subscribers=[name]) == "INVALID_AGENT"


def test_a_subscriber_may_be_given_by_its_id(actor, scout):
    public_id = Agent.objects.get(name="Scout").public_id
    pushed = push(actor, subscribers=[public_id, "Scout"])
    assert pushed["subscribers"] == ["Scout"]
    by_batch = {"type": "push", "key": "b", "value": 1, "subscribers": [public_id]}
    assert batch(actor, by_batch)["results"][0]["subscribers"] == ["Scout"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("user_*", ["user_1", "user_2", "user_x"]),
        ("user_?", ["user_1", "user_2", "user_x"]),
        ("user_[12]", ["user_1", "user_2"]),
        ("user_[!12]", ["user_x"]),
        ("USER_*", ["USER_1"]),
        ("%", ["%"]),
        ("*[", []),
        ("a.c", ["a.c"]),
        ("*", ["%", "USER_1", "a.c", "abc", "user_1", "user_2", "user_x"]),
        ("user_1", ["user_1"]),
        ("user_", []),
    ],
)
def test_a_pattern_is_a_glob(actor, pattern, found):
    names = ("user_1", "user_2", "user_x", "USER_1", "%", "a.c", "abc")
    batch(actor, *({"type": "push", "key": name, "value": 1} for name in names))
    assert keys(actor, pattern=pattern)["available_keys"] == found


def test_a_hostile_pattern_costs_no_time(actor):
    push(actor, key="a" * 200)
    started = timezone.now()
    assert keys(actor, pattern="*a" * 90 + "*b")["count"] == 0
    assert timezone.now() - started < timedelta(seconds=LONG)


def test_a_batch_answers_each_operation_in_order(actor, scout):
    push(scout, "theirs", "x")
    result = batch(
        actor,
        {"type": "push", "key": "a", "value": 1, "subscribers": ["Scout"], "ttl": 5},
        {"type": "get", "key": "a"},
        {"type": "get", "key": "theirs"},
        {"type": "delete", "key": "a"},
    )  # fmt: skip
    assert result["success"]
    assert [one["type"] for one in result["results"]] == ["push", "get", "get", "delete"]
    assert [one.get("value") for one in result["results"]] == [1, 1, "x", None]
    counts = ("total_operations", "successful_operations", "failed_operations")
    assert [result[name] for name in counts] == [4, 4, 0]
    assert keys(actor)["available_keys"] == ["theirs"]


def test_what_is_not_atomic_does_what_it_can(actor, scout):
    push(scout, "theirs")
    result = batch(
        actor,
        {"type": "push", "key": "a", "value": None},
        {"type": "push", "key": "theirs", "value": 2},
        {"type": "get", "key": "absent"},
        {"type": "push", "key": "b", "value": 2, "subscribers": ["Nobody"]},
        {"type": "push", "key": "c"},
        {"type": "get", "key": "a", "ttl": 5},
        atomic=False,
    )
    codes = [one.get("error_code") for one in result["results"]]
    assert codes == [
        None, "ACCESS_DENIED", "KEY_NOT_FOUND", "INVALID_AGENT", "INVALID_PARAMETERS",
        "INVALID_PARAMETERS",
    ]  # fmt: skip
    assert (result["success"], result["successful_operations"], result["failed_operations"]) == (
        False, 1, 5,
    )  # fmt: skip
    assert keys(actor)["available_keys"] == ["a", "theirs"]


def test_an_atomic_batch_of_fifty_that_fails_leaves_everything_as_it_was(actor, scout):
    for number in range(0, 48, 2):
        push(actor, f"k{number:02}", number, subscribers=["Scout"], ttl=600)
    before = state()
    operations = [
        {"type": "push", "key": f"k{number:02}", "value": -1, "ttl": 5} for number in range(48)
    ]
    operations += [{"type": "delete", "key": "k00"}, {"type": "get", "key": "absent"}]
    result = batch(actor, *operations)
    assert state() == before
    assert (result["success"], result["successful_operations"]) == (False, 0)
    codes = {one["error_code"] for one in result["results"]}
    assert (codes, len(result["results"])) == ({"ROLLED_BACK", "KEY_NOT_FOUND"}, 50)


def test_a_batch_costs_the_same_queries_however_long(actor, django_assert_max_num_queries):
    few = [{"type": "push", "key": f"k{n}", "value": n} for n in range(3)]
    many = [{"type": "push", "key": f"k{n}", "value": n} for n in range(100)]
    batch(actor, *few)
    # Sixteen of them see whether it waits, and note where the entries came from.
    with django_assert_max_num_queries(40):
        batch(actor, *many)


def test_the_receipt_of_a_batch_names_its_operations(actor):
    batch(actor, {"type": "push", "key": "a", "value": 1})
    receipt = Receipt.objects.get()
    assert (receipt.tool, receipt.outcome) == ("batch_context_operation", "ok")
    assert receipt.arguments["operations"][0]["key"] == "a"


def test_a_workspace_holds_so_many_entries(actor, monkeypatch):
    monkeypatch.setattr(contexts, "MOST_ENTRIES", 2)
    push(actor, "a")
    push(actor, "b")
    assert refused(push, actor, "c") == "CONFLICT"
    push(actor, "a", 2)
    full = batch(actor, {"type": "delete", "key": "a"}, {"type": "push", "key": "c", "value": 1})
    assert full["success"]


def test_what_expired_is_removed_in_time(actor, scout):
    push(actor, "a", ttl=60, subscribers=["Scout"])
    push(actor, "b", ttl=60)
    push(actor, "c")
    end("a")
    assert remove_expired() == 1
    assert list(ContextEntry.objects.order_by("key").values_list("key", flat=True)) == ["b", "c"]


def test_people_see_every_entry_of_their_workspace(actor, scout, reviewer):
    push(actor, subscribers=["Scout"])
    seen = ContextEntry.objects.visible_to(factories.person_actor(reviewer))
    assert [entry.key for entry in seen] == ["k"]
    stranger = factories.make_person_user(factories.make_workspace())
    assert not ContextEntry.objects.visible_to(factories.person_actor(stranger)).exists()
