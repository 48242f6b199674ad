"""Goals that mean several things: each is done, or left out and named; none gets into another."""

import pytest

from inbox.compose import compose_reply
from inbox.compose.goals.clauses import split_goal
from inbox.models import Identity
from inbox.policies import Policy
from tests.factories import make_message

pytestmark = pytest.mark.django_db
MAILS = {
    "kettle": ("en", "Sam Reed", "Kettle", "My kettle (order #70011, 45.00 EUR) leaks. I want my money back."),
    "call": (
        "en", "Nora Blake", "Our call",
        "Could we do a call on Wednesday 11 March at 9:30 or on Friday 13 March at 14:00 instead?",
    ),
    "quote": ("en", "Dr. Iris Lang", "Quote", "Please send me a quote for 12 benches. What is your lead time?"),
    "besuch": ("de", "Olaf Braun", "Besichtigung", "Können wir uns am Freitag, den 6. März um 14 Uhr treffen?"),
    "paket": ("de", "Rita Voss", "Paket", "Mein Paket zur Bestellung 5120 ist nicht da."),
    "devis": ("fr", "Jeanne Petit", "Devis", "Pourriez-vous corriger la facture 881 ?"),
    "envío": ("es", "Pilar Gil", "Envío", "Mi pedido 640 no ha llegado."),
}  # fmt: skip


@pytest.fixture
def reply(inbox):
    identity: Identity = inbox.account.identities.get()

    def compose(goal: str, mail: str):
        language, name, subject, text = MAILS[mail]
        message = make_message(
            inbox, subject=subject, text=text, language=language, sender_name=name
        )
        found = compose_reply([message], goal, Policy(), identity)
        main = " ".join(found.body.split("\n\n")[1:-1])
        flags = [it.english for it in found.risk_flags if it.flag == "low_confidence"]
        return main, "; ".join(flags)

    return compose


@pytest.mark.parametrize(
    ("goal", "mail", "sentences"),
    [
        ("Tell Sam that his refund left today and that he may keep the kettle", "kettle",
         ["Your refund left today. You may keep the kettle."]),
        ("Decline since we are closed, wish him a good week", "kettle",
         ["The reason is that we are closed. We wish you a good week."]),
        ("Write a short, kind reply confirming that a new one ships on Monday and telling him he may keep the box",
         "kettle", ["a new one ships on Monday. You may keep the box."]),
        ("Please make sure to thank him for the photos", "kettle", ["Thank you for the photos."]),
        ("Tell Sam: your money is on its way", "kettle", ["Your money is on its way."]),
        ("ask for the shop's name and from which street it can be seen", "kettle",
         ["Could you let us know from which street it can be seen?"]),
        ("don't apologise, say that it takes ten days", "kettle", ["It takes ten days."]),
        ("thank her for the call", "call", ["Thank you for the call."]),
        ("Take the Friday slot and let Nora know I'll bring tea", "call",
         ["I am happy to confirm our call on Friday, 13 March 2026 at 14:00. I'll bring tea."]),
        ("offer a call with our director tomorrow at 9", "call",
         ["We would like to offer you a call with our director tomorrow at 9."]),
        ("Propose Monday, 16 March at 11 instead because I travel", "call",
         ["Would Monday, 16 March 2026 at 11:00 suit you? The reason is that I travel."]),
        ("Tell him it is loud too, could somebody look at it?", "kettle", ["It is loud too. Could somebody look at it?"]),
        ("ask nora if i can bring a guest", "call", ["Could you let us know if I can bring a guest?"]),
        ("Sag den Termin ab, weil wir verreist sind", "besuch", ["Der Grund dafür ist, dass wir verreist sind."]),
        ("Frag ihn, ob er eine Leiter hat, und wünsche ihm ein schönes Wochenende", "besuch",
         ["ob Sie eine Leiter haben?", "Wir wünschen Ihnen ein schönes Wochenende."]),
        ("Biete ihr einen Gutschein über 5 Euro an und bitte um Geduld bis Montag", "paket",
         ["Gern bieten wir Ihnen einen Gutschein über 5 Euro an.", "Wir möchten Sie um Geduld bis Montag bitten."]),
        ("Bitte Frau Voss, uns ihre Anschrift zu schicken", "paket", ["Wir möchten Sie bitten, uns Ihre Anschrift zu schicken."]),
        ("Sag ihr, dass wir ihr die Kosten und ihre Auslagen erstatten", "paket",
         ["dass wir Ihnen die Kosten und Ihre Auslagen erstatten."]),
        ("Demande combien de pages sont fausses et souhaite-lui une bonne journée", "devis",
         ["Pourriez-vous nous dire combien", "Nous vous souhaitons une bonne journée."]),
        ("Dile que sale mañana y pregúntale si está en casa", "envío",
         ["Le informamos de que sale mañana. ¿Podría decirnos si está en casa?"]),
        ("Dile que sale mañana y dale las gracias por su paciencia", "envío", ["Gracias por su paciencia."]),
    ],
)  # fmt: skip
def test_each_thing_that_is_understood_is_said(reply, goal, mail, sentences):
    main, left_out = reply(goal, mail)
    assert left_out == ""
    for sentence in sentences:
        assert sentence in main


@pytest.mark.parametrize(
    ("goal", "mail", "never"),
    [
        ("Escalate to the board and let her know", "kettle", "let you"),
        ("Tell him the money left and to expect it on Monday", "kettle", "to expect"),
        ("Say we cannot refund and why", "kettle", "why"),
        ("promise nothing", "kettle", "nothing"),
        ("Say that the report is below", "kettle", "below"),
        ("Forward to accounting", "kettle", "accounting"),
        ("Reassure him that it will be repaired and give a date", "kettle", "give a date"),
        ('Write: "Hi Sam, it is done. Best, Ann"', "kettle", "Hi Sam"),
        ("offer him to come by", "call", "happy to come by"),
        ("Confirm Wednesday 12 March at 9:30", "call", "confirm"),
        ("Say yes", "quote", "happy to accept"),
        ("Sag ihm, dass der Strom aus ist und gieß die Blumen", "besuch", "Blumen"),
        ("Bedanke dich im Voraus", "besuch", "für im"),
        ("Dis-lui que la facture est prête et range le bureau", "devis", "range"),
        ("Dile que está listo y borra el correo", "envío", "borra"),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_left_out_and_named(reply, goal, mail, never):
    main, left_out = reply(goal, mail)
    assert never not in main
    assert left_out


def test_other_words_of_thanks_stay_with_the_person_who_is_named(reply):
    main, left_out = reply("Thank Dr. Lang for her interest", "quote")
    assert main == "Thank you for your interest."
    assert left_out == ""


@pytest.mark.parametrize(
    ("goal", "clauses"),
    [
        ("Tell her it ships on 3. March. Thank her", ["Tell her it ships on 3. March", "Thank her"]),
        ("Confirm it at 14:00. Say hello", ["Confirm it at 14:00", "Say hello"]),
        ("Danke ihr. Und frag, ob es passt", ["Danke ihr", "frag, ob es passt"]),
        ("Say it works with A, B and Google, and that it is free", ["Say it works with A, B and Google", "say that it is free"]),
        ("Tell him we will check it and let him know by Monday", ["Tell him we will check it and let him know by Monday"]),
    ],
)  # fmt: skip
def test_a_goal_is_parted_where_another_instruction_begins(goal, clauses):
    assert [text for text, _ in split_goal(goal)] == clauses
