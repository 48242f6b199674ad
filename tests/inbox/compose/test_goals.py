import pytest

from inbox.compose.goals import read_goal, wanted_language
from inbox.compose.speech import to_you


@pytest.mark.parametrize(
    ("goal", "acts"),
    [
        (
            "confirm the refund and apologise for the delay",
            [("refund", ""), ("apologise", "the delay")],
        ),
        ("ask for the order number", [("ask", "the order number")]),
        ("accept the meeting on Tuesday", [("accept_meeting", "on Tuesday")]),
        ("decline politely", [("decline", "")]),
        (
            "Tell them their order ships tomorrow and thank them for their patience",
            [("say", "their order ships tomorrow"), ("thank", "their patience")],
        ),
        ("ask her to send photos", [("ask_to", "send photos")]),
        ("ask when they need it", [("ask_whether", "when they need it")]),
        ("promise an update by Friday", [("promise_by", "by Friday")]),
        ("refuse the refund", [("refund_declined", "")]),
        ("reschedule the demo to Friday at 11", [("move_meeting", "Friday at 11")]),
        ("offer a 10% discount", [("offer", "a 10% discount")]),
        ("Answer their questions", [("answer", "")]),
        ("be brief and polite", [("style", "")]),
        ("be nice about the wombat", [("unknown", "be nice about the wombat")]),
        (
            "bestätige die Erstattung und entschuldige dich für die Verspätung",
            [("refund", ""), ("apologise", "die Verspätung")],
        ),
        ("", []),
    ],
)
def test_a_goal_is_read_clause_by_clause(goal, acts):
    assert [(act.kind, act.rest) for act in read_goal(goal)] == acts


def test_a_goal_may_name_the_language():
    assert wanted_language("Reply in German that we ship on Monday") == "de"
    assert read_goal("Reply in German that we ship on Monday")[0].rest == "we ship on Monday"
    assert wanted_language("Reply in time") == ""


@pytest.mark.parametrize(
    ("said", "to_the_reader"),
    [
        ("their order ships tomorrow", "your order ships tomorrow"),
        ("she needs to sign", "you need to sign"),
        ("the customer is right", "you are right"),
        ("we call her on Monday", "we call you on Monday"),
        ("her order and his invoice", "your order and your invoice"),
        ("they have already paid", "you have already paid"),
        ("the thermometer is theirs", "the thermometer is yours"),
    ],
)
def test_what_is_said_of_somebody_is_said_to_them(said, to_the_reader):
    assert to_you(said) == to_the_reader


@pytest.mark.parametrize(
    "goal", ["and " * 5000, "tell them " * 2000, "x" * 100_000, "that, " * 5000]
)
def test_a_tiresome_goal_comes_to_an_end(goal):
    assert read_goal(goal)
