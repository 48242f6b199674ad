from inbox.compose.goals.reading import read_goal, wanted_language
from tests.cases import in_one_test
from tests.growth import assert_linear


def _likeliest(goal):
    return [
        (it.readings[0].kind, it.readings[0].rest) if it.readings else it.text
        for it in read_goal(goal)
    ]


@in_one_test(
    ("goal", "acts"),
    [
        ("confirm the refund and apologise for the delay", [("refund", ""), ("apologise", "the delay")]),
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
        ("be nice about the wombat", ["be nice about the wombat"]),
        ("1. Apologise\n2. Ask for photos", [("apologise", ""), ("ask", "photos")]),
        ("ask her to sign the form and send it back", [("ask_to", "sign the form and send it back")]),
        ("ask for the price and when it ships", [("ask", "the price"), ("ask_whether", "when it ships")]),
        ("say that we are late and that it ships today", [("say", "we are late"), ("say", "it ships today")]),
        ("bestätige die Erstattung und entschuldige dich für die Verspätung", [("refund", ""), ("apologise", "die Verspätung")]),
        ("Excuse-toi pour le retard et demande son adresse", [("apologise", "le retard"), ("ask", "son adresse")]),
        ("Pide disculpas y confirma la reunión", [("apologise", ""), ("accept_meeting", "")]),
        ("遅延をお詫びし、ご住所を尋ねてください", [("apologise", "遅延"), ("ask", "ご住所")]),
        ("اعتذر عن التأخير وأكد الموعد", [("apologise", "التأخير"), ("accept_meeting", "")]),
        ("", []),
    ],
)  # fmt: skip
def test_a_goal_is_read_clause_by_clause(goal, acts):
    assert _likeliest(goal) == acts


@in_one_test(
    "goal",
    [
        "If the order is old decline, otherwise confirm the refund",
        "confirm or decline the meeting",
        "Wenn es passt, bestätige den Termin",
        "confirm the refund, or else offer a discount",
    ],
)
def test_what_depends_on_something_is_not_an_instruction(goal):
    assert _likeliest(goal) == [goal]


def test_what_stands_in_quotes_is_one_piece():
    goal = 'Say "We are sorry. Ask for me, and confirm the date." and thank her'
    assert [it.text for it in read_goal(goal)] == [goal.removesuffix(" and thank her"), "thank her"]


@in_one_test(
    ("goal", "language"),
    [
        ("Reply in German that we ship on Monday", "de"),
        ("Apologise, in French", "fr"),
        ("Apologise in Spanish.", "es"),
        ("Answer in Finnish", "?"),
        ("Reply in time", ""),
        ("say that our manual is available in German", ""),
        ("日本語で返信してください", "ja"),
    ],
)
def test_a_goal_may_name_the_language(goal, language):
    assert wanted_language(goal) == language


def test_the_language_is_no_part_of_what_is_said():
    (clause,) = read_goal("Apologise for the delay in German")
    assert clause.readings[0].rest == "the delay"


@in_one_test(
    ("first", "unit", "times"),
    [
        ("", "and ", 5000), ("", "tell them ", 2000), ("", "x", 100_000), ("", "that, ", 5000),
        ("", '"', 9000), ("", "schlage ", 900), ("", "sage a ", 900), ("", "を確認し", 900),
        ("", "in ", 3000), ("", "ask for a and ", 900), ("say that ", "a and that ", 800),
    ],
)  # fmt: skip
def test_a_tiresome_goal_is_read_in_linear_time(first, unit, times):
    def read(size: int) -> None:
        assert read_goal(first + unit * size)

    assert_linear(read, times)
