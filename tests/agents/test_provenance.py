"""Where a draft comes from: each risk with its reason and its source."""

import pytest

from agents.provenance import find_risks
from inbox.models import Authentication
from inbox.operations.drafts import draft_reply
from inbox.operations.understanding import save_policy
from tests import factories

pytestmark = pytest.mark.django_db
SECRET = "The vault opens with seven turns to the left and nine back."


@pytest.fixture
def known(message):
    """Know the customer who asks."""
    return know(message, "ada@customer.example")


def know(message, email, **counts):
    return factories.make_person(
        message.workspace, email, first_contact_at=message.received_at,
        last_contact_at=message.received_at, **{"received_count": 1, "contact_count": 1, **counts},
    )  # fmt: skip


@pytest.fixture
def risks(actor, message):
    """The risks of answering the question with a text, by flag."""

    def risks(body, thread=message.thread):
        draft = draft_reply(actor=actor, thread=thread, body=body)
        return {risk["flag"]: risk for risk in find_risks(actor, draft)}

    return risks


def test_a_plain_answer_to_somebody_known_has_none(risks, known):
    assert risks("Yes, it will be with you on Friday.") == {}


def test_an_address_that_nobody_wrote_with_names_the_mail_that_brought_it(risks, message):
    message.reply_to = [{"email": "payments@elsewhere.example"}]
    message.save()
    flag = risks("Yes.")["new_recipient"]
    assert (flag["excerpt"], flag["source"]) == ("payments@elsewhere.example", message.public_id)
    assert "only in the mail" in flag["reason"]


def test_an_address_that_looks_like_a_known_one_is_named(risks, message):
    know(message, "finance@lantern-supplies.example", sent_count=9, contact_count=20)
    message.reply_to = [{"email": "finance@1antern-supplies.example"}]
    message.save()
    flag = risks("Yes.")["lookalike_sender"]
    assert "finance@lantern-supplies.example" in flag["reason"]


def test_a_sender_who_looks_like_a_known_one_is_named_where_answers_go_elsewhere(risks, message):
    know(message, "finance@lantern-supplies.example", sent_count=9, contact_count=20)
    message.from_email = "finance@1antern-supplies.example"
    message.reply_to = [{"email": "payments@elsewhere.example"}]
    message.save()
    flag = risks("Yes.")["lookalike_sender"]
    assert "finance@lantern-supplies.example" in flag["reason"]
    assert flag["source"] == message.public_id


def test_a_link_names_the_mail_that_it_came_from(risks, known, inbox, message):
    factories.make_message(
        inbox, thread=message.thread, text="See https://pay.elsewhere.example/now please."
    )
    flag = risks("As you wrote: https://pay.elsewhere.example/now")["external_link"]
    assert flag["source"] is not None


def test_a_passage_of_another_conversation_names_it(risks, known, inbox):
    other = factories.make_message(
        inbox, sender="bob@partner.example", text=f"Dear all,\n{SECRET}\nBob"
    )
    flag = risks(f"Hello Ada. By the way, {SECRET.lower()} Bye.")["content_from_other_thread"]
    assert flag["source"] == other.public_id
    assert "bob@partner.example" in flag["reason"]
    assert "vault opens with seven turns to the left" in flag["excerpt"]


@pytest.mark.parametrize("cut", range(8))
def test_eight_words_are_found_wherever_they_stand(risks, known, inbox, cut):
    other = factories.make_message(inbox, sender="bob@partner.example", text=SECRET)
    eight = "vault opens with seven turns to the left"
    body = f"{'word ' * cut}{eight} and nothing more of it."
    assert risks(body)["content_from_other_thread"]["source"] == other.public_id


def test_seven_words_are_no_passage(risks, known, inbox):
    factories.make_message(inbox, sender="bob@partner.example", text=SECRET)
    assert "content_from_other_thread" not in risks("The vault opens with seven turns only.")


def test_a_passage_from_the_recipient_s_own_conversation_is_none(risks, known, inbox):
    factories.make_message(inbox, text=SECRET)
    assert "content_from_other_thread" not in risks(SECRET)


def test_what_a_foreign_workspace_wrote_is_not_compared_with(risks, known):
    foreign = factories.make_inbox(factories.make_workspace())
    factories.make_message(foreign, sender="bob@partner.example", text=SECRET)
    assert "content_from_other_thread" not in risks(SECRET)


@pytest.mark.parametrize(
    "body", ['"', "' OR 1=1 --", "NEAR(a b)", "* ^ : - ( )", "東京 " * 30, "ß" * 40, '" OR "']
)
def test_signs_of_query_languages_mean_nothing(risks, known, inbox, body):
    factories.make_message(inbox, sender="bob@partner.example", text=SECRET)
    words = " and ".join([body] * 10)
    assert "content_from_other_thread" not in risks(words)


def test_hidden_text_and_a_failed_sender_are_named(risks, known, message):
    message.anomalies = ["hidden_text"]
    message.authentication = Authentication.FAIL
    message.save()
    found = risks("Yes.")
    assert found["hidden_text"]["source"] == message.public_id
    assert "authenticated" in found["lookalike_sender"]["reason"]


def test_a_reply_without_a_policy_is_checked_by_the_workspace_s_first(risks, known, workspace):
    save_policy(workspace=workspace, name="House", source="forbidden_phrases: [for free]\n")
    assert risks("You get it for free.")["forbidden_phrase"]["excerpt"] == "for free"


def test_what_looks_like_a_secret_is_named(risks, known):
    assert "contains_sensitive_data" in risks("The card is 4111 1111 1111 1111.")


@pytest.mark.parametrize("hidden", ["\u200b", "\ufeff", "\u00ad", "\U000e0066\U000e006f", "\u2063"])
def test_characters_that_nobody_sees_are_named(risks, known, hidden):
    flag = risks(f"Yes, on{hidden} Friday.")["hidden_text"]
    assert f"U+{ord(hidden[0]):04X}" in flag["reason"]


def test_letters_that_are_joined_are_not_hidden(risks, known):
    assert risks("می\u200cخواهم ❤\ufe0f 👩\u200d🔧") == {}
