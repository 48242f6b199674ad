"""Sentences that may be a part of another, or still tell what to write, are flagged."""

import pytest

from inbox.compose import compose_reply
from inbox.models import Identity
from inbox.policies import Policy
from tests.cases import in_one_test
from tests.factories import make_message

pytestmark = pytest.mark.django_db
MAILS = {
    "en": ("Walter Finch", "Orchard tour", "Could 14 of us and six children see the orchard on Sunday? What is it?"),
    "de": ("Sabine Vogt", "Lieferung", "Bei der Lieferung waren drei Platten verkratzt. Wann kommt Ersatz?"),
    "fr": ("Olivier Besson", "Devis", "Voici notre devis pour six fenêtres. La pose pourrait commencer le 2 juin."),
}  # fmt: skip


@pytest.fixture
def reply(inbox):
    identity: Identity = inbox.account.identities.get()

    def compose(goal: str, code: str):
        name, subject, text = MAILS[code]
        message = make_message(inbox, subject=subject, text=text, language=code, sender_name=name)
        found = compose_reply([message], goal, Policy(), identity)
        main = " ".join(found.body.split("\n\n")[1:-1])
        return main, "low_confidence" in [it.flag for it in found.risk_flags]

    return compose


@in_one_test(
    ("goal", "code"),
    [
        ("Hold until 31 May is fine.", "en"),
        ("Ask how many are coming; quote within two days after that", "en"),
        ("Found on shelf, cancelled the charge", "en"),
        ("Say that we're sorry, that a plumber is booked for Monday and that he'll get a discount", "en"),
        ("Frau Vogt soll bitte die Nummern der drei Platten nennen", "de"),
        ("um Geduld bitten bis Freitag", "de"),
    ],
)  # fmt: skip
def test_what_may_be_no_sentence_of_a_letter_is_flagged(reply, goal, code):
    assert reply(goal, code)[1]


@in_one_test(
    ("goal", "code", "sentences"),
    [
        ("Sunday is fine. Before that ask which gate they need.", "en", "Could you let us know which gate you need?"),
        ("In addition, ask for the number of cars", "en", "send us the number of cars?"),
        ("Say that we're full, that the café is closed and that the shop is open", "en",
         "The café is closed. The shop is open."),
        ("ask whether they'd pay less if we give them a guide", "en", "if we give you a guide?"),
        ("say we'd love to but have to ask the owner first", "en", "We'd love to but have to ask the owner first."),
        ("Confirm Sunday for 6 children", "en", "We can confirm Sunday for 6 children."),
        ("Bitten, die alten Platten dem Fahrer mitzugeben", "de",
         "Wir möchten Sie bitten, die alten Platten dem Fahrer mitzugeben."),
        ("Anbieten, dass wir die Platten am Freitag tauschen", "de",
         "Gern bieten wir Ihnen an, dass wir die Platten am Freitag tauschen."),
        ("Accepter le devis, mais demander que la pose commence le 9 juin", "fr",
         "Nous souhaiterions que la pose commence le 9 juin."),
        ("dis qu'on décidera avant le 20 avril", "fr", "Nous vous informons qu'on décidera avant le 20 avril."),
        ("Dis-lui que le bois est déjà pris mais libre du 18 au 20 juin", "fr",
         "Nous vous informons que le bois est déjà pris mais libre du 18 au 20 juin."),
    ],
)  # fmt: skip
def test_what_is_told_in_several_ways_is_said(reply, goal, code, sentences):
    main, is_flagged = reply(goal, code)
    assert sentences in main
    assert not is_flagged
