"""Messages between agents: to whom they go, what is found of them, and their confirmation."""

import pytest

from agents.contracts import REGISTRY
from agents.contracts.families import mesh_code, render_error
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import AgentMessage, Receipt
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def scout(workspace):
    return factories.agent_actor(factories.make_agent(workspace, "Scout"))


@pytest.fixture
def scribe(workspace):
    return factories.agent_actor(factories.make_agent(workspace, "Scribe"))


def send(who, to, message="Hello.", **more):
    arguments = {"from_agent": who.name, "to_agent": to.name, "message": message, **more}
    return call("send_message_to_agent", arguments, who).result


def get(who, **more):
    arguments = {"agent_name": who.name, **more}
    return call("get_messages_from_agents", arguments, who).result["messages"]


def broadcast(who, *to, message="Hello.", **more):
    arguments = {"from_agent": who.name, "to_agents": list(to), "message": message, **more}
    return call("broadcast_message_to_agents", arguments, who).result


def refused(function, *args, **kwargs):
    with pytest.raises(ToolError) as caught:
        function(*args, **kwargs)
    return mesh_code(caught.value)


def test_a_message_is_sent_with_the_defaults_that_were_agreed(actor, scout):
    sent = send(actor, scout)
    assert sent.pop("message_id").startswith("agm_")
    assert sent.pop("thread_id").startswith("ath_")
    assert sent == {
        "success": True, "from_agent": "Clerk", "to_agent": "Scout", "message_type": "info",
        "priority": "normal", "requires_confirmation": False,
    }  # fmt: skip


def test_a_message_is_found_as_the_contract_shows_it(actor, scout):
    sent = send(actor, scout, "Count them.", message_type="task", priority="high", thread_id="t 1")
    (found,) = get(scout)
    assert found.pop("timestamp").endswith("Z")
    assert found == {
        "message_id": sent["message_id"], "from": "Clerk", "to": "Scout", "message": "Count them.",
        "type": "task", "priority": "high", "read": False, "requires_confirmation": False,
        "confirmed": False, "thread_id": "t 1",
    }  # fmt: skip
    assert get(actor) == []


def test_messages_come_newest_first_and_fifty_at_most(actor, scout):
    for number in range(52):
        send(actor, scout, f"{number}")
    assert [one["message"] for one in get(scout)] == [f"{n}" for n in range(51, 1, -1)]
    assert [one["message"] for one in get(scout, limit=2)] == ["51", "50"]


@pytest.mark.parametrize("limit", [0, 201, "5", 1.5])
def test_a_limit_is_a_whole_number_up_to_200(scout, limit):
    assert refused(get, scout, limit=limit) == "INVALID_PARAMETERS"


def test_every_filter_keeps_what_it_says(actor, scout, scribe):
    send(actor, scout, "a", message_type="task", priority="urgent", thread_id="t")
    send(scribe, scout, "b", message_type="error")
    filters = (
        ({"priority": "urgent"}, ["a"]), ({"message_type": "error"}, ["b"]),
        ({"thread_id": "t"}, ["a"]), ({"from_agent": "Scribe"}, ["b"]),
        ({"from_agent": "Scribe", "priority": "urgent"}, []), ({"unread_only": True}, ["b", "a"]),
    )  # fmt: skip
    for asked, wanted in filters:
        assert [one["message"] for one in get(scout, **asked)] == wanted


def test_reading_marks_only_when_asked_to(actor, scout):
    send(actor, scout)
    get(scout)
    assert len(get(scout, unread_only=True)) == 1
    (read,) = get(scout, mark_as_read=True)
    assert read["read"]
    assert get(scout, unread_only=True) == []


def test_what_the_limit_left_out_stays_unread(actor, scout):
    send(actor, scout, "old")
    send(actor, scout, "new")
    get(scout, limit=1, mark_as_read=True)
    assert [one["message"] for one in get(scout, unread_only=True)] == ["old"]


def test_the_first_marking_read_sends_one_confirmation(actor, scout):
    sent = send(actor, scout, "Are you there?", requires_confirmation=True, priority="high")
    get(scout)
    assert get(actor) == []
    (read,) = get(scout, mark_as_read=True)
    assert read["confirmed"]
    get(scout, mark_as_read=True)
    (confirmation,) = get(actor)
    assert confirmation["message"] == "Read: Are you there?"
    assert (confirmation["from"], confirmation["thread_id"]) == ("Scout", sent["thread_id"])
    assert not confirmation["requires_confirmation"]


def test_reading_a_confirmation_confirms_nothing(actor, scout):
    send(actor, scout, requires_confirmation=True)
    get(scout, mark_as_read=True)
    get(actor, mark_as_read=True)
    assert AgentMessage.objects.count() == 2


def test_agents_speak_in_their_own_name_to_agents_of_their_workspace(actor, scout):
    stranger = factories.make_agent(factories.make_workspace(), "Stranger")
    assert refused(send, scout, stranger) == "INVALID_AGENT"
    assert refused(broadcast, actor, "Scout", "Stranger") == "INVALID_AGENT"
    assert refused(get, actor, from_agent="Stranger") == "INVALID_AGENT"
    as_scout = {"from_agent": "Scout", "to_agent": "Clerk", "message": "x"}
    assert refused(call, "send_message_to_agent", as_scout, actor) == "ACCESS_DENIED"
    as_scout = {"from_agent": "Scout", "to_agents": ["Clerk"], "message": "x"}
    assert refused(call, "broadcast_message_to_agents", as_scout, actor) == "ACCESS_DENIED"
    assert refused(call, "get_messages_from_agents", {"agent_name": "Scout"}, actor) == (
        "ACCESS_DENIED"
    )
    assert not AgentMessage.objects.exists()


def test_an_agent_that_never_wrote_is_found_and_written_to_by_its_name_or_id(actor, scout, scribe):
    found = call("look_around", {"kind": "agents"}, actor).result["agents"]
    ids = {one["name"]: one["id"] for one in found}
    assert call(
        "send_message_to_agent",
        {"from_agent": "Clerk", "to_agent": ids["Scout"], "message": "Hello."}, actor,
    ).result["to_agent"] == "Scout"  # fmt: skip
    sent = broadcast(actor, "Scribe", ids["Scribe"], ids["Scout"])
    assert [one["to_agent"] for one in sent["results"]] == ["Scribe", "Scout"]
    assert len(get(scout)) == 2
    assert len(get(scout, from_agent=ids["Clerk"])) == 2


def test_who_names_nobody_is_told_who_there_is(actor, scout, scribe):
    stranger = factories.make_agent(factories.make_workspace(), "Stranger")
    for to in ("Scuot", "agt_none", stranger.public_id):
        with pytest.raises(ToolError) as caught:
            call("broadcast_message_to_agents",
                 {"from_agent": "Clerk", "to_agents": ["Scout", to], "message": "x"}, actor)  # fmt: skip
        said = render_error(caught.value, REGISTRY.find("broadcast_message_to_agents"))
        assert said["error_code"] == "INVALID_AGENT"
        assert said["error"] == (
            f"No agent of the workspace is called {to!r}; there are: Clerk, Scout, Scribe"
        )


def test_a_broadcast_reaches_each_once_and_not_its_sender(actor, scout, scribe):
    sent = broadcast(actor, "Scout", "Scribe", "Scout", "Clerk", priority="low")
    assert [one["to_agent"] for one in sent["results"]] == ["Scout", "Scribe"]
    counts = ("total_recipients", "successful_sends", "failed_sends")
    assert [sent[name] for name in counts] == [2, 2, 0]
    assert sent["broadcast_id"].startswith("brd_")
    assert get(actor) == []
    (found,) = get(scribe)
    assert (found["thread_id"], found["priority"]) == (sent["thread_id"], "low")


def test_a_broadcast_goes_to_all_or_to_none(actor, scout):
    assert refused(broadcast, actor, "Scout", "Nobody") == "INVALID_AGENT"
    assert get(scout) == []


def test_a_broadcast_to_nobody_else_is_refused(actor):
    assert refused(broadcast, actor) == "INVALID_PARAMETERS"
    assert refused(broadcast, actor, "Clerk") == "INVALID_PARAMETERS"


def test_a_broadcast_is_in_the_thread_that_was_asked_for(actor, scout):
    assert broadcast(actor, "Scout", thread_id="mine")["thread_id"] == "mine"
    assert broadcast(actor, "Scout", create_thread=False)["thread_id"] is None
    new = {broadcast(actor, "Scout", create_thread=True)["thread_id"] for _ in range(2)}
    assert len(new) == 2
    both = {"thread_id": "mine", "create_thread": True}
    assert refused(broadcast, actor, "Scout", **both) == "INVALID_PARAMETERS"


def test_the_same_call_with_the_same_key_sends_once(actor, scout):
    arguments = {"from_agent": "Clerk", "to_agent": "Scout", "message": "Once."}
    answers = [call("send_message_to_agent", arguments, actor, "k1").result for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]
    assert len(get(scout)) == 1
    assert Receipt.objects.filter(tool="send_message_to_agent").count() == 3


def test_an_agent_sees_what_it_sent_or_was_sent_and_people_see_all(actor, scout, scribe, reviewer):
    send(actor, scout)
    for who, count in ((actor, 1), (scout, 1), (scribe, 0)):
        assert AgentMessage.objects.visible_to(who).count() == count
    assert AgentMessage.objects.visible_to(factories.person_actor(reviewer)).count() == 1
