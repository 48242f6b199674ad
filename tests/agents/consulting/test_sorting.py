"""Where rules are not sure of an intent a model may say, by words of the message."""

import pytest
from django.test import override_settings

from agents.dispatching.dispatch import call
from inbox.background import jobs
from inbox.models import ModelAnswer, ModelSetting, Taxonomy
from tests import factories

pytestmark = pytest.mark.django_db
SOURCE = """\
intents:
  - {name: repair, route: workshop, phrases: [broken], urgency: high}
  - {name: praise, route: archive, phrases: [wonderful]}
default: {intent: other, route: desk}
"""
TEXT = "Since yesterday it gives no light any more. You are wonderfull."


@pytest.fixture
def sort(workspace, inbox, actor, machine):
    """Have a message sorted by the taxonomy, as an agent does."""
    taxonomy = Taxonomy.objects.create(workspace=workspace, name="Lamps", source=SOURCE)
    ModelSetting.objects.create(workspace=workspace, tasks=["triage"])

    def sort(text=TEXT):
        message = factories.make_message(inbox, text=text)
        given = {"message_id": message.public_id, "taxonomy_id": taxonomy.public_id}
        with override_settings(UNDERSTANDING=("model", "rules")):
            first = call("triage_message", given, actor).result
            jobs.run_due()
            return first, call("triage_message", given, actor).result

    return sort


def test_what_rules_leave_open_is_sorted_by_what_the_message_says(sort, machine):
    machine.says({"intent": "repair", "quote": "it gives no light any more"})
    first, again = sort()
    assert (first["intent"], first["suggested_route"]) == ("other", "desk")
    assert (again["intent"], again["suggested_route"]) == ("repair", "workshop")
    assert (again["urgency"], again["sentiment"]) == ("high", first["sentiment"])
    assert 0.6 <= again["confidence"] < 0.7
    (asked,) = machine.asked
    assert asked.document["intents"][0] == {"name": "repair", "phrases": ["broken"]}
    assert ModelAnswer.objects.get().used == 1


def test_what_rules_are_sure_of_nobody_else_is_asked(sort, machine):
    machine.says({"intent": "praise", "quote": "the lamp"})
    first, again = sort("The lamp is broken.")
    assert first == again
    assert (first["intent"], machine.asked) == ("repair", [])


@pytest.mark.parametrize(
    "answer",
    [
        {"intent": "repair", "quote": "the lamp is broken"}, {"intent": "repair"},
        {"intent": "refund", "quote": "no light any more"}, {"intent": ["repair"]},
        {"intent": "", "quote": ""}, {}, "[]", "nonsense",
    ],
)  # fmt: skip
def test_an_answer_that_quotes_nothing_of_the_message_changes_nothing(sort, machine, answer):
    machine.says(answer)
    first, again = sort()
    assert first == again
    assert len(machine.asked) == 1
