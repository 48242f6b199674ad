"""Whom a pronoun means and who does a thing, where only the thread can tell."""

import pytest

from inbox.compose import compose_reply
from inbox.compose.acts.sentence import Sentence
from inbox.compose.carrying.carrier import carrier_of
from inbox.compose.carrying.covering import leaves_out
from inbox.compose.phrasing.wording import wording
from inbox.compose.thread.facts import Saying
from inbox.compose.thread.situation import read_thread
from inbox.models import Identity
from inbox.policies import Policy
from tests.cases import in_one_test
from tests.factories import make_message

pytestmark = pytest.mark.django_db
MAILS = {
    "son": "My son Toby needs help before his exam. He is free on Tuesdays. What do you charge?",
    "mother": "My mother has an appointment on Tuesday. She has a cold. Should she come?",
    "short": "Only 180 of the 200 brackets left us. Shall we ship the missing 20 or credit them?",
    "contract": "The contract is attached. Could you send us the CV of your project lead, please?",
    "plain": "Thank you for the pictures. The fee is 250 pounds.",
}


@pytest.fixture
def draft(inbox):
    identity: Identity = inbox.account.identities.get()

    def compose(goal: str, on: str):
        message = make_message(
            inbox, subject="A question", text=MAILS[on], language="en", sender_name="Helen Marsh"
        )
        reply = compose_reply([message], goal, Policy(), identity)
        reasons = [it.reason for it in reply.risk_flags if it.flag == "low_confidence"]
        return "\n\n".join(reply.body.split("\n\n")[1:-1]), bool(reasons)

    return compose


SAID = [
    # Somebody of whom the thread speaks by the same pronoun stays "he", and a person looks at it.
    ("son", "ask which topics he should revise", "which topics he should revise?", True),
    ("son", "he can come on Friday, tell her to bring his last test", "Please bring his last test.", True),
    ("mother", "tell her to call us on Friday", "Please call us on Friday.", False),
    ("mother", "she should stay home", "She should stay home.", True),
    ("plain", "ask whether she needs an invoice", "Could you let us know whether you need an invoice?", False),
    ("plain", "ask whether she's had the invoice", "whether you have had the invoice?", False),
    # Who does it: the thread offers, or asks for it; where it says neither, a person looks at it.
    ("short", "ship them", "Please ship them.", False),
    ("contract", "send the CV", "We will send the CV.", False),
    ("plain", "send the invoice", "We will send the invoice.", True),
    # Goods that a goal names are never the reader.
    ("short", "credit the 20 brackets, we don't need them any more", "We don't need them any more.", False),
    # Of what a comma adds it is not said what is to be done with it.
    ("plain", "accept the quote, standard rail", "We are happy to accept the quote, standard rail.", True),
    ("plain", "accept the delay but we need it by Friday", "We are happy to accept the delay but we need it by Friday.", False),
    ("plain", "need the number and which provider she's with", "which provider you are with.", False),
    ("plain", "haggle: 8 pounds each", "Could you do 8 pounds each?", False),
    ("plain", "get her down to 200 pounds", "Could you go down to 200 pounds?", False),
    ("plain", "fee is fine; who do I call about the frames?", "Who do I call about the frames?", False),
]  # fmt: skip


@in_one_test(("on", "goal", "said", "is_flagged"), SAID)
def test_the_thread_tells_or_a_person_is_asked(draft, on, goal, said, is_flagged):
    body, flagged = draft(goal, on)
    assert said in body
    assert flagged == is_flagged


def test_a_number_or_a_longer_word_that_is_not_said_is_noticed(inbox):
    message = make_message(inbox, text=MAILS["plain"], language="en", sender_name="Helen Marsh")
    by = carrier_of("push the boxes", Saying(read_thread([message]), wording("en")))
    assert by is not None
    said = [Sentence("Could we move it to Friday?")]
    assert not leaves_out("ask Helen to move it to Friday", said, by)
    assert leaves_out("move the crates to Friday", said, by)
    assert leaves_out("move 12 to Friday", said, by)
    assert not leaves_out("move 12 to Friday", [Sentence("To Friday.", missed="move 12")], by)
