"""Dutch letters, private and of business: told, classified, read for values, and answered."""

from datetime import UTC, datetime

import pytest

from inbox.classify import Facts, MessageFacts
from inbox.classify.decide import judge
from inbox.classify.gist import gist
from inbox.compose import compose_reply
from inbox.compose.goals.reading import wanted_language
from inbox.extract import extract_from
from inbox.extract.document import Document, layers_of
from inbox.models import Identity
from inbox.policies import read_policy
from inbox.rfc5322.text.language import detect_language
from inbox.rfc5322.text.quotes import new_text
from tests.cases import in_one_test
from tests.factories import make_message

SENT = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
LATE = (
    "Beste mevrouw Vermeulen,\n\nVorige week heb ik bij u een eettafel besteld (bestelnummer 48213). Volgens uw "
    "website zou die gisteren bezorgd worden, maar er is niemand geweest en ik heb niets meer van u gehoord. "
    "Zou u mij kunnen laten weten wanneer ik de tafel kan verwachten?\n\nMet vriendelijke groet,\nSanne de Vries"
)
OFFER = (
    "Goedemiddag,\n\nWij zijn een architectenbureau in Utrecht en zoeken voor ons nieuwe kantoor twaalf bureaus. "
    "Kunt u ons uiterlijk vrijdag een offerte sturen, inclusief bezorging op de derde verdieping?\n\n"
    "Alvast bedankt,\nPieter van den Berg"
)
INVOICE = (
    "Geachte heer/mevrouw,\n\nBijgaand ontvangt u factuur 2026-0117 voor de geleverde werkzaamheden. Het totaalbedrag "
    "van € 1.452,00 graag binnen 14 dagen overmaken op NL91 ABNA 0417 1643 00 o.v.v. het factuurnummer.\n\n"
    "Hoogachtend,\nJeroen Bakker\nBakker & Zn. B.V."
)
REMINDER = (
    "Geachte klant,\n\nUit onze administratie blijkt dat factuur 2026-0098 nog niet is voldaan. Dit is een "
    "betalingsherinnering: wij verzoeken u het openstaande bedrag van € 318,50 vóór 15 maart te betalen."
)
ANGRY = (
    "Dit is nu al de derde keer dat ik mail en nog steeds krijg ik geen antwoord. Ik vind dit onacceptabel en wil "
    "mijn geld terug, anders dien ik een klacht in."
)
URGENT = "Met spoed: de vrachtwagen staat voor een dichte poort. Bel me zo snel mogelijk terug op 06-12345678!"
CALM = (
    "Zou je me de nieuwe catalogus kunnen opsturen? Er is geen haast bij, wanneer het je uitkomt."
)
DOWN = "Sinds vanochtend is de webshop niet bereikbaar en onze klanten kunnen niet meer inloggen. Storing bij jullie?"
PARTY = (
    "Hoi oma,\n\nZaterdag vieren we de verjaardag van Bram. Kom je ook? We beginnen om drie uur met taart.\n\n"
    "Dikke kus,\nLotte"
)
MEETING = "Hallo Anna, zullen we dinsdag 10 maart om 14.30 uur even bij elkaar komen op kantoor? Groetjes, Mark"
AWAY = "Ik ben met vakantie en weer op kantoor op 16 maart. Dit is een automatisch antwoord; mijn collega's helpen u graag."
NEWS = "De nieuwsbrief van maart: nieuw in onze winkel. Wilt u deze e-mail niet meer ontvangen? Klik dan op afmelden."
SALE = "Nu of nooit: 40% korting op alles, alleen vandaag gratis bezorging. Bestel nu en profiteer van deze aanbieding!"
PHISH = "Uw rekening is geblokkeerd. Bevestig uw gegevens binnen 24 uur via onderstaande link, anders wordt uw pas gedeactiveerd."
SHIPPED = "Bedankt voor je bestelling! Je pakket is verzonden en wordt morgen bezorgd. Trackingnummer: 3SABC123456789."
THANKS = "Hartelijk dank voor de snelle hulp, alles werkt weer. Fantastisch!"
REFUND = (
    "De lamp is kapot aangekomen. Ik wil hem graag terugsturen en het aankoopbedrag terugkrijgen."
)
CANCEL = "Helaas moet ik onze afspraak van donderdag afzeggen; ik ben ziek geworden."
LETTERS = [
    LATE, OFFER, INVOICE, REMINDER, ANGRY, URGENT, CALM, DOWN, PARTY, MEETING, AWAY, NEWS, SALE,
    PHISH, SHIPPED, REFUND, CANCEL,
]  # fmt: skip


@in_one_test("letter", LETTERS)
def test_a_letter_is_told_to_be_dutch(letter):
    assert detect_language(letter) == "nl"


@in_one_test(
    ("letter", "kind", "signals"),
    [
        (LATE, "request", {"asks_you"}),
        (OFFER, "deadline_request", {"asks_you", "deadline"}),
        (INVOICE, "invoice", {"invoice", "money"}),
        (REMINDER, "invoice", {"invoice", "deadline"}),
        (ANGRY, "complaint", {"angry", "refund"}),
        (URGENT, "urgent_request", {"urgent", "contact_us"}),
        (CALM, "request", {"asks_you", "no_hurry"}),
        (DOWN, "outage", {"outage"}),
        (PARTY, "request", {"family"}),
        (MEETING, "meeting", {"proposes_meeting"}),
        (AWAY, "away", {"away"}),
        (NEWS, "bulk", {"newsletter", "unsubscribe"}),
        (SALE, "advertising", {"advert"}),
        (PHISH, "wants_credentials", {"credentials"}),
        (SHIPPED, "receipt", {"receipt"}),
        (THANKS, "thanks", {"thanks"}),
        (REFUND, "refund", {"refund", "unhappy"}),
    ],
)
def test_a_letter_is_classified_by_what_it_says(letter, kind, signals):
    message = MessageFacts(language="nl", received=2)
    found = judge(Facts(content=letter, sender_email="s@klant.example", message=message))
    assert signals <= set(found.found)
    assert found.kind.name == kind
    assert "unread_language" not in found.found


def test_what_a_letter_is_about_is_no_greeting():
    assert gist("Bureaus", OFFER).startswith("Wij zijn een architectenbureau")


TEXT, NUMBER, WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer"}
YES, DAY = {"type": "boolean"}, {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}


@in_one_test(
    ("fields", "letter", "found"),
    [
        ({"order_number": TEXT, "name": TEXT}, LATE, {"order_number": "48213", "name": "Sanne de Vries"}),
        ({"name": TEXT, "due_date": DAY}, OFFER, {"name": "Pieter van den Berg", "due_date": "2026-03-06"}),
        ({"invoice_number": TEXT, "total": NUMBER, "currency": TEXT, "iban": TEXT}, INVOICE,
         {"invoice_number": "2026-0117", "total": 1452.0, "currency": "EUR", "iban": "NL91 ABNA 0417 1643 00"}),
        ({"invoice_number": TEXT, "due_date": DAY}, REMINDER, {"invoice_number": "2026-0098", "due_date": "2026-03-15"}),
        ({"phone": TEXT, "urgent": YES}, URGENT, {"phone": "06-12345678", "urgent": True}),
        ({"starts_at": MOMENT}, MEETING, {"starts_at": "2026-03-10T14:30:00Z"}),
        ({"tracking_number": TEXT}, SHIPPED, {"tracking_number": "3SABC123456789"}),
        ({"delivery_date": DAY}, "Je bestelling wordt morgen bezorgd.", {"delivery_date": "2026-03-03"}),
        ({"refund": YES, "problem": {"enum": ["broken", "missing", "wrong"]}}, REFUND, {"refund": True, "problem": "broken"}),
        ({"factuurdatum": DAY, "btw_bedrag": NUMBER, "totaalbedrag": NUMBER},
         "Factuurdatum: 3 maart 2026\nSubtotaal € 100,00\nBTW 21% € 21,00\nTotaalbedrag € 121,00",
         {"factuurdatum": "2026-03-03", "btw_bedrag": 21.0, "totaalbedrag": 121.0}),
        ({"street": TEXT, "postcode": TEXT, "city": TEXT},
         "Bezorgen graag op:\nKeizersgracht 123-A\n1015 CJ Amsterdam",
         {"street": "Keizersgracht 123-A", "postcode": "1015 CJ", "city": "Amsterdam"}),
        ({"guests": WHOLE, "nights": WHOLE, "checkin": DAY},
         "We komen met vier personen en blijven drie nachten, aankomst op 12 april.",
         {"guests": 4, "nights": 3, "checkin": "2026-04-12"}),
        ({"quantity": WHOLE}, "Graag wil ik 12 bureaustoelen bestellen.", {"quantity": 12}),
        ({"duration_minutes": WHOLE}, "Het overleg duurt anderhalf uur.", {"duration_minutes": 90}),
        ({"company": TEXT}, "Met vriendelijke groet,\nEls Jansen\nDe Groene Tuin B.V.", {"company": "De Groene Tuin B.V."}),
        ({"meeting_date": DAY}, "Kunnen we overmorgen afspreken?", {"meeting_date": "2026-03-04"}),
        ({"meeting_date": DAY}, "Goede morgen! Onze afspraak is volgende week dinsdag, 10 maart.", {"meeting_date": "2026-03-10"}),
    ],
)  # fmt: skip
def test_values_are_found(fields, letter, found):
    document = Document(
        layers=layers_of("", letter, letter, ()), own_text=letter, sent_at=SENT,
        sender_email="x@klant.example", language="nl",
    )  # fmt: skip
    schema = {"type": "object", "properties": fields}
    assert extract_from(document, schema).data == found


@pytest.fixture
def draft(inbox):
    def compose(goal: str, text: str, *, tone="friendly", name="Sanne de Vries") -> str:
        message = make_message(inbox, text=text, language="nl", sender_name=name)
        identity: Identity = inbox.account.identities.get()
        reply = compose_reply([message], goal, read_policy(f"tone: {tone}"), identity)
        assert "low_confidence" not in [flag.flag for flag in reply.risk_flags], reply.risk_flags
        return reply.body

    return compose


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("goal", "letter", "sentences"),
    [
        ("apologise for the delay and ask for a photo", LATE, ["Onze excuses voor de vertraging.", "Zou u ons een foto kunnen sturen?"]),
        ("bied je excuses aan voor de vertraging", LATE, ["Onze excuses voor de vertraging."]),
        ("bevestig de terugbetaling", REFUND, ["Hierbij bevestigen wij de terugbetaling."]),
        ("bevestig de afspraak", MEETING, ["Graag bevestigen wij onze afspraak op dinsdag 10 maart 2026 om 14:30 uur."]),
        ("wijs de afspraak af", MEETING, ["Helaas kunnen wij niet aanwezig zijn"]),
        ("vraag om het bestelnummer", DOWN, ["Zou je ons je bestelnummer kunnen doorgeven?"]),
        ("bedank haar voor het bericht", THANKS, ["Hartelijk dank voor uw bericht."]),
        ("zeg haar dat de tafel morgen wordt bezorgd", LATE, ["Wij laten u weten dat de tafel morgen wordt bezorgd."]),
        ("stel dinsdag om 10 uur voor", CANCEL, ["Schikt het u op dinsdag om 10:00 uur?"]),
        ("vraag haar of het adres klopt", CANCEL, ["Kunt u ons laten weten of het adres klopt?"]),
    ],
)  # fmt: skip
def test_a_letter_is_answered_in_dutch(draft, goal, letter, sentences):
    body = draft(goal, letter)
    assert body.startswith("Beste Sanne,\n\n")
    assert body.endswith("Met vriendelijke groet,\nLantern")
    for sentence in sentences:
        assert sentence in body


@pytest.mark.django_db
def test_a_formal_letter_is_formal(draft):
    body = draft("vraag om het klantnummer", "Hierbij bestel ik twaalf stoelen.", tone="formal")
    assert body.startswith(
        "Geachte Sanne de Vries,\n\nHartelijk dank voor uw e-mail van 2 maart 2026."
    )
    assert body.endswith("Hoogachtend,\nLantern")


@pytest.mark.django_db
def test_two_instructions_are_two_sentences(draft):
    body = draft("Bied excuses aan voor de vertraging en vraag om het bestelnummer", LATE)
    assert "Onze excuses voor de vertraging. Zou u ons uw bestelnummer kunnen doorgeven?" in body


def test_a_goal_names_dutch_in_any_language():
    assert wanted_language("reply in Dutch") == "nl"
    assert wanted_language("antworte auf Niederländisch") == "nl"
    assert wanted_language("antwoord in het Nederlands") == "nl"


@pytest.mark.parametrize(
    "history",
    [
        "Op ma 2 mrt 2026 om 09:12 schreef Sanne de Vries <sanne@klant.example>:\n> Wanneer komt de tafel?",
        "-----Oorspronkelijk bericht-----\nVan: Sanne de Vries\nVerzonden: maandag 2 maart 2026 09:12\nAan: Lantern\n"
        "Onderwerp: Tafel\n\nWanneer komt de tafel?",
        "Van: Sanne de Vries <sanne@klant.example>\nVerzonden: maandag 2 maart 2026 09:12\nAan: Lantern\nOnderwerp: Tafel\n\n"
        "Wanneer komt de tafel?",
    ],
)  # fmt: skip
def test_history_is_left_out(history):
    assert new_text(f"De tafel komt morgen.\n\n{history}\n") == "De tafel komt morgen."


def test_what_a_telephone_adds_is_left_out():
    assert new_text("Tot morgen!\n\nVerzonden vanaf mijn iPhone") == "Tot morgen!"
