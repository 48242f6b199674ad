"""A goal's own words, as people write them, become sentences that are said to the reader."""

import pytest

from inbox.compose import compose_reply
from inbox.models import Identity
from inbox.policies import Policy
from tests.cases import in_one_test
from tests.factories import make_message

pytestmark = pytest.mark.django_db
MAILS = {
    "quote": ("en", "Darren Whitlock", "Quote for 40 boxes", "Our price for the paper is £21.60 a box. Would you like to go ahead?"),
    "club": ("en", "Rosalind Kay", "Rehearsals", "There are two rehearsals in December. Which can you make, please?"),
    "fliesen": ("de", "Rainer Oppermann", "Termin", "Guten Tag, könnten Sie mir bitte sagen, ob die alten Fliesen runter sollen? Ist ein Stellplatz vorhanden?"),
    "kita": ("de", "Jule Brandt", "Waffelstand", "Hallo, kannst du am Samstag den Stand übernehmen? Und hast du ein Waffeleisen?"),
    "devis": ("fr", "Claire Morel", "Devis", "Bonjour, pourriez-vous nous envoyer le devis pour les chaises ? Merci de votre réponse."),
    "piso": ("es", "Marcos Gil", "Piso", "Buenos días, ¿podría decirme si el piso sigue disponible y cuándo podría verlo? Muchas gracias."),
    "lavori": ("it", "Paolo Serra", "Preventivo", "Buongiorno, Le invio il preventivo. Attendo la Sua risposta. Cordiali saluti"),
    "retour": ("nl", "Jan Prins", "Retour", "Goedemiddag, ik wil het apparaat graag terugsturen. Kunt u mij laten weten hoe dat moet?"),
    "pedido": ("pt", "Rafael Lima", "Pedido", "Bom dia, quando chega o pedido? Podem juntar mais dez caixas? Obrigado."),
    "faktura": ("pl", "Anna Nowak", "Faktura", "Dzień dobry, na fakturze jest błędny NIP. Czy można prosić o korektę?"),
}  # fmt: skip


@pytest.fixture
def draft(inbox):
    identity: Identity = inbox.account.identities.get()

    def compose(goal: str, on: str):
        code, name, subject, text = MAILS[on]
        message = make_message(inbox, subject=subject, text=text, language=code, sender_name=name)
        reply = compose_reply([message], goal, Policy(), identity)
        reasons = [it.reason for it in reply.risk_flags if it.flag == "low_confidence"]
        return "\n\n".join(reply.body.split("\n\n")[1:-1]), reasons

    return compose


SAID = [
    ("quote", "we'd take 60 boxes if he can do £19.50; otherwise we stay with our supplier. Need an answer by friday",
     "We'd take 60 boxes if you can do £19.50. Otherwise we stay with our supplier. We need an answer by Friday."),
    ("quote", "no thanks, bought elsewhere", "No thanks, bought elsewhere."),
    ("quote", "The reply should tell him that he gets the order and that the PO number follows on Monday.",
     "You get the order. The PO number follows on Monday."),
    ("quote", "Ask Darren if he would deliver to the back entrance, and whether pallets cost extra", "Could you let us know if you would deliver to the back entrance?"),
    ("quote", "Request a proof before printing starts", "I would like to ask you for a proof before printing starts."),
    ("quote", "Explain we have no room, encourage him to come later", "We have no room. We would encourage you to come later."),
    ("quote", "Turn it down: budget is frozen until January", "Unfortunately we have to decline: budget is frozen until January."),
    ("quote", "ask: can the fee be paid by phone?", "Can the fee be paid by phone?"),
    ("quote", "Our technician is away but he will call her", "Our technician is away but he will call you."),
    ("quote", "Mr Okafor is dealing with her case, he'll call by Thursday", "Mr Okafor is dealing with your case, he'll call by Thursday."),
    ("quote", "Tell him to unplug it, and if that fails, to call us", "Please unplug it, and if that fails, call us."),
    ("quote", "Tell her to write to the bank so that they can check it", "Please write to the bank so that they can check it."),
    ("quote", "say that our interns are paid and that they like it", "Our interns are paid. They like it."),
    ("quote", "Say thanks but no, because it is too late", "Thank you, but unfortunately we have to decline, because it is too late."),
    ("quote", "Say no thanks", "Thank you, but unfortunately we have to decline."),
    ("quote", "thank him in advance for his help", "Thank you in advance for your help."),
    ("quote", "call her back on Friday", "We will call you back on Friday."),
    ("quote", "Agree to the extension but insist on the doctor's note", "We are happy to accept the extension. We must ask you for the doctor's note."),
    ("quote", "Break the news that the paper is held up at customs and level with him that we are late",
     "The paper is held up at customs. We are late."),
    ("quote", "Push back on the price, we had £20 from someone else, but say we'd like to work with him",
     "Could you please reconsider the price? We had £20 from someone else. We'd like to work with you."),
    ("quote", "yes to the boxes, no to the paper", "We are happy with the boxes. Unfortunately we have to decline the paper."),
    ("quote", "thanks but no to the boxes, too late for us", "Thank you, but we have to decline the boxes"),
    ("quote", "dispute the amount, we ordered 500 boxes not 800, need a new invoice",
     "I would like to dispute the amount. We ordered 500 boxes not 800. We need a new invoice."),
    ("quote", "stick with the old price, please confirm the end date in writing",
     "We would like to stick with the old price. Could you please confirm the end date in writing?"),
    ("quote", "Rule out the boxes but throw in a sample", "Unfortunately the boxes are not possible. We will include a sample."),
    ("quote", "I'd take the pause from 1 January - knee surgery", "I'd take the pause from 1 January – knee surgery."),
    ("quote", "thank him for the quote, but can he come in the morning?", "Thank you for the quote. Can you come in the morning?"),
    ("quote", "Delivery Thu 9am ok", "Delivery Thursday 9am is ok."),
    ("quote", "Work on the roof starts on Monday", "Work on the roof starts on Monday."),
    ("quote", "Tomorrow the driver comes at 8", "Tomorrow the driver comes at 8."),
    ("club", "I can do the 17th, not the 6th; my brother-in-law Piet sings tenor, ask if he may just turn up",
     "Could you let us know if he may just turn up?"),
    ("club", "Say how sorry I am to miss her concert", "I am very sorry to miss your concert."),
    ("club", "She should please not wait for me", "Please do not wait for me."),
    ("fliesen", "leider absagen, sind an dem Tag in Kassel", "Leider müssen wir absagen. Wir sind an dem Tag in Kassel."),
    ("fliesen", "Ob er auch am 8. Dezember nachmittags kommen könnte?", "Könnten Sie uns bitte mitteilen, ob Sie auch am 8. Dezember nachmittags kommen könnten?"),
    ("fliesen", "Absagen: am 3. bin ich krank. Vorschlag Montag 7. Dezember, ab 8 Uhr", "Wir schlagen Montag 7. Dezember, ab 8 Uhr vor."),
    ("fliesen", "hak nach, ob der Termin passt", "Könnten Sie uns bitte mitteilen, ob der Termin passt?"),
    ("fliesen", "Zu den Fliesen sag ihm, dass wir uns noch nicht entschieden haben.", "Zu den Fliesen teilen wir Ihnen mit, dass wir uns noch nicht entschieden haben."),
    ("kita", "Das Waffeleisen kann sie aber gern ausleihen", "Das Waffeleisen kannst du aber gern ausleihen."),
    ("devis", "Lui préciser que la livraison est comprise et demander si les chaises lui conviennent.", "La livraison est comprise"),
    ("devis", "Refuser : nous n'avons que 180 chaises.", "Malheureusement, ce ne sera pas possible. Nous n'avons que 180 chaises."),
    ("devis", "le prix est trop élevé pour nous, demande s'il peut descendre à 33 euros par personne", "Pourriez-vous nous dire si vous pouvez descendre à 33 euros par personne ?"),
    ("piso", "dile que venga el lunes", "Le pedimos que venga el lunes."),
    ("piso", "Sí, sigue disponible y puede verlo el viernes. El gato no es problema.", "Sí, sigue disponible y puede verlo el viernes. El gato no es problema."),
    ("lavori", "Ringraziare ma far presente che abbiamo ricevuto un'offerta più bassa, 10.400 €.", "Abbiamo ricevuto un'offerta più bassa, 10.400 €."),
    ("retour", "Hij krijgt een gratis retourlabel en het bedrag staat binnen 5 werkdagen op zijn rekening.",
     "U krijgt een gratis retourlabel en het bedrag staat binnen 5 werkdagen op uw rekening."),
    ("pedido", "Recusar com delicadeza: este ano não temos vagas por causa das obras.", "Infelizmente não será possível. Este ano não temos vagas por causa das obras."),
    ("faktura", "Odmów, bo w sobotę pracuję, i zapytaj, czy jest inny termin", "Niestety nie mogę, bo w sobotę pracuję"),
]  # fmt: skip


@in_one_test(("on", "goal", "said"), SAID)
def test_it_is_said_to_the_reader_and_not_flagged(draft, on, goal, said):
    body, reasons = draft(goal, on)
    assert said in body
    assert reasons == []


# What is no word of a letter: work on it, orders to the writer, a letter within the letter.
NOT_SAID = [
    ("quote", "Buy time until Thursday", "Buy"),
    ("quote", "Volunteer for the 15th, loop in Ben", "Ben"),
    ("quote", "We ship on Friday, blame the carrier", "blame"),
    ("quote", "If he is angry apologise, otherwise say no", "angry"),
    ("quote", "wombat blue", "ombat"),
    ("quote", "Accept the 9th but blame the traffic", "blame"),
    ("quote", "cc the secretary", "secretary"),
    ("quote", "Stall him until we hear from the factory", "factory"),
    ("quote", "Grumble that the last one was late", "late"),
    ("quote", "Gaslight him into paying", "paying"),
    ("quote", "Wangle us a better price, the paper is dear", "better"),
    ("quote", "Vouch for the quality", "quality"),
    ("quote", "Bring in Ben and tell Darren he will ring tomorrow", "will ring"),
    ("fliesen", "Sag ihm, dass der Strom aus ist und gieß die Blumen", "Blumen"),
    ("fliesen", "We can come on Monday, ask him for the keys", "Monday"),
    ("fliesen", "wombat 42 blue", "ombat"),
    ("fliesen", "Keine Zusage machen", "Zusage"),
    ("piso", "No prometer nada", "prometer"),
    ("lavori", "Non promettere nulla", "promettere"),
    ("devis", "Dis-lui que la facture est prête et range le bureau", "range"),
    ("piso", "Dile que está listo y borra el correo", "borra"),
]


@in_one_test(("on", "goal", "never"), NOT_SAID)
def test_an_instruction_that_is_not_understood_is_never_pasted_into_the_letter(
    draft, on, goal, never
):
    body, reasons = draft(goal, on)
    assert never not in body
    assert reasons


def test_a_file_that_the_letter_cannot_have_itself_is_said_and_flagged(draft):
    body, reasons = draft("The signed certificate is attached.", "quote")
    assert "The signed certificate is attached." in body
    assert reasons == ["unsure"]


def test_a_letter_of_notes_is_said_and_flagged(draft):
    body, reasons = draft("2nd box Thu; paper Fri am; no discount", "quote")
    assert body.endswith("2nd box Thursday. Paper Friday morning. No discount.")
    assert reasons == ["unsure"]


def test_a_pronoun_that_may_be_somebody_elses_is_flagged(draft):
    body, reasons = draft("suggest he asks Prof Whitmore who knows his work", "quote")
    assert "I would suggest that you ask Prof Whitmore who knows your work." in body
    assert reasons == ["unsure"]


def test_who_is_to_do_it_is_flagged_where_it_cannot_be_told(draft):
    body, reasons = draft("Ship the pieces on Monday", "quote")
    assert "We will ship the pieces on Monday." in body
    assert reasons == ["unsure"]
