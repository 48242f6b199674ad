"""Options are put to a person as options: never as an order, never as a reproach."""

from django.utils.translation import gettext, override
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.classify import Facts, MessageFacts, classify
from inbox.classify.decide import judge
from inbox.classify.tone import find_own_reproach, find_reproach
from inbox.operations.activities.activities import columns_of
from inbox.operations.activities.changes import check_changes
from inbox.reasons.rules import ACTIONS, OPTIONS
from tests.cases import in_one_test, made_up


@in_one_test(
    "words",
    [
        "You should answer today.", "you  SHOULD\nanswer", "Perhaps you should call.", "You really should answer.",
        "you shouldn't wait", "You should not wait.", "Don't forget the invoice.", "Don’t forget!",
        "don‘t forget", "donʼt forget", "dont forget", "DON'T FORGET", "Do not forget it", "Don`t forget", "Don´t forget",
        "You haven't answered.", "You haven’t paid", "you have not paid", "You still haven't paid", "you havent",
        "You've not paid.", "You're behind on three answers.", "you’re behind", "You are behind.", "youre behind",
        "You are already behind.", "you\u200b should", "y\u200bou sho\u00aduld", "you\u00a0should", "you\u200bshould",
        "you **should** go", "_you should_", "ｙｏｕ ｓｈｏｕｌｄ", "You-should", "Don\u2060't for\ufeffget", "“you should”",
        "Du solltest antworten.", "Sie sollten antworten.", "Vergiss nicht zu zahlen", "Vergessen Sie nicht zu zahlen",
        "Nicht vergessen: zahlen", "Sie haben noch nicht bezahlt", "Du hast noch nicht bezahlt", "Du bist im Rückstand",
    ],
)  # fmt: skip
def test_an_order_or_a_reproach_is_found_however_it_is_written(words):
    assert find_reproach(words)


@in_one_test(
    "words",
    [
        "You could answer today, or leave it.", "Options: pay it, ask about it, or refuse it.", "", "…",
        "Would you like to answer?", "Ask whether the offer should stand.", "Thank you. Should it wait, say so.",
        "The team is behind schedule.", "Forget-me-nots are in bloom.", "You have nothing to do.", "You have notes here.",
        "We haven't heard from them.", "You shoulder the cost, or share it.", "Do they forget it often?",
        "Du könntest antworten.", "Die Zahlen, die sie sollten, fehlen.", "Sie haben nichts vor.",
        "Sie könnten zahlen oder nachfragen.",
    ],
)  # fmt: skip
def test_what_leaves_the_choice_to_a_person_is_no_reproach(words):
    assert find_reproach(words) == ""


def test_what_a_reasoning_quotes_is_not_its_own_word():
    assert find_own_reproach('A request: says what is to be done ("You should")') == ""
    assert find_own_reproach("It says “don't forget the key”, so it asks for something.") == ""
    assert find_own_reproach('It is a "request"; you should answer "soon".') == "you should"


def test_a_sender_cannot_put_an_order_into_the_options():
    asking = "You should send me the offer by Friday. Could you please do it?"
    found = classify(Facts(title="The offer", content=asking, sender_name="You should pay"))
    assert found.option_framing is not None
    assert find_reproach(found.option_framing) == ""
    assert [find_reproach(action) for action in found.suggested_actions] == [""] * len(
        found.suggested_actions
    )


@in_one_test("template", [*OPTIONS.values(), *ACTIONS.values()])
def test_the_translations_leave_the_choice_to_a_person_too(template):
    with override("de"):
        said = gettext(template)
    assert said != template
    assert find_reproach(said) == ""


def test_where_the_sentence_cannot_be_repeated_its_subject_is_named():
    facts = Facts(
        title="Report for May", content="You should send me the report.", sender_name="Ada"
    )
    assert "Ada asks: “Report for May”." in classify(facts).option_framing


_BITS = st.sampled_from(
    ["you should", "Don’t forget", "you haven't", "you're behind", "please", "could you", "send it", "by Friday", "call me", "invoice", "(", ")", '"', "“", "”", ".", "?", ";", "Ada", "\n", "500 EUR", "urgent", "my lawyer", "let's meet", "we need", "\u200b", "'", "solltest du", "du solltest"]
)  # fmt: skip
_TEXTS = st.lists(_BITS, max_size=8).map(" ".join)


@settings(max_examples=made_up(300))
@given(title=_TEXTS, content=_TEXTS, name=_TEXTS, list_id=_TEXTS, html=_TEXTS)
def test_what_the_rules_say_is_what_an_agent_may_store(title, content, name, list_id, html):
    message = MessageFacts(list_id=list_id, html_text=html, headers={"precedence": list_id})
    for of_mail in (message, None):
        facts = Facts(title, content, "a@customer.example", name, message=of_mail)
        said = judge(facts).classification
        assert check_changes(None, columns_of(said))
        assert 1 <= len(said.suggested_actions) <= 3
        assert (said.option_framing is None) == (said.autonomy_tier <= 2)
