"""Who does something and where something is, held against whom and what the sources name for it."""

from datetime import date

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import Mark, Named, ProposedMessage, Source
from inbox.rfc5322.text.language import detect_language

TODAY = date(2026, 3, 10)
RUTH = Named("Ruth Calder", "ruth@mill.example")
KAI, MONA = Named("Kai Brandt", "kai.brandt@us.example"), Named("Mona Olsen", "m.olsen@us.example")
SENDER = Named("Jo Vance", "jo@us.example")


def mail(text, by=RUTH, language="", **fields):
    return Source(
        "message", text[:20], f"The mill\n{text}", TODAY, by=by.email, people=(by, KAI, MONA),
        language=language or detect_language(text), **fields,
    )  # fmt: skip


def wrong(body, *sources, language="") -> list[Mark]:
    proposed = ProposedMessage(
        "", body, TODAY, language or detect_language(body), (RUTH,), sender=SENDER
    )
    marks = check_claims(proposed, sources, known=(RUTH,))
    return [mark for mark in marks if mark.state != "found"]


def told(marks: list[Mark]) -> list[tuple[str, str]]:
    return [(it.excerpt, it.expected) for it in marks]


PLACES = {
    "en": ("The meeting of the board is in room Ponent.", "The meeting of the board is in {} on Friday.", "room Ponent", "room Llevant"),
    "de": ("Die Sitzung des Vorstands ist in Saal Fulda.", "Die Sitzung des Vorstands ist in {}, wie gesagt.", "Saal Fulda", "Saal Werra"),
    "fr": ("La réunion du conseil sera dans la salle Ponent.", "La réunion du conseil sera dans la {} vendredi.", "salle Ponent", "salle Garbi"),
    "es": ("La reunión del consejo será en la sala Ponent.", "La reunión del consejo será en la {} el viernes.", "sala Ponent", "sala Llevant"),
    "nl": ("De vergadering van het bestuur is in zaal Ponent.", "De vergadering van het bestuur is in {} op vrijdag.", "zaal Ponent", "zaal Garbi"),
    "pl": ("Zebranie zarządu spółki odbędzie się w sala Ponent.", "Zebranie zarządu spółki odbędzie się w {} w piątek.", "sala Ponent", "sala Garbi"),
}  # fmt: skip


@pytest.mark.parametrize("language", PLACES)
def test_where_something_is_is_where_the_sources_have_it(language):
    said, body, right, other = PLACES[language]
    source = mail(said, language=language)
    (mark,) = wrong(body.format(other), source, language=language)
    assert (mark.excerpt, mark.expected) == (other, right)
    assert wrong(body.format(right), source, language=language) == []


FLOORS = {
    "en": ("2nd floor", "1st floor"), "de": ("2. OG", "1. Obergeschoss"), "fr": ("2e étage", "1er étage"),
    "es": ("planta 2", "planta 1"), "nl": ("2e verdieping", "1e verdieping"), "pl": ("2 piętro", "1 piętro"),
}  # fmt: skip


@pytest.mark.parametrize("language", FLOORS)
def test_a_room_is_on_the_floor_that_the_sources_have_for_it(language):
    right, other = FLOORS[language]
    house = Source(
        "file", "1", f"/house.txt\nWerraraum Nord: {other}\nFuldasaal Beamer: {right}", TODAY
    )
    body = "Fuldasaal Beamer, {}"
    assert told(wrong(body.format(other), house, language=language)) == [(other, right)]
    assert wrong(body.format(right), house, language=language) == []


HOUSES = {
    "en": ("8 Bridge Road", "18 Bridge Road"), "de": ("Auedamm 8", "Auedamm 18"),
    "fr": ("8 rue des Filatiers", "18 rue des Filatiers"), "es": ("Carrer de la Sal 8", "Carrer de la Sal 18"),
    "nl": ("Marktstraat 8", "Marktstraat 18"), "pl": ("ul. Długa 8", "ul. Długa 18"),
}  # fmt: skip


@pytest.mark.parametrize("language", HOUSES)
def test_a_house_has_the_number_that_the_sources_have(language):
    right, other = HOUSES[language]
    source = mail(f"Gartenhaus, {right}, 4711", language=language)
    assert told(wrong(f"Gartenhaus, {other}, 4711", source, language=language)) == [(other, right)]
    assert wrong(f"Gartenhaus, {right}, 4711", source, language=language) == []
    unknown = wrong(f"Gartenhaus, {other}, 4711", mail("See you"), language=language)
    assert [it for it in unknown if it.kind == "code"] == []


def test_a_house_that_a_source_has_beside_another_one_is_right():
    house = mail("Staff come in at Bakstraat 3. Goods go to Bakstraat 5.", language="nl")
    assert wrong("Je belt aan in de Bakstraat 3.", house, language="nl") == []
    (mark,) = wrong("Je belt aan in de Bakstraat 8.", house, language="nl")
    assert mark.excerpt == "Bakstraat 8"


def test_a_month_and_an_amount_are_no_house():
    asked = mail("Was kostet B2 im Januar, 185 oder 190?", language="de")
    body = "Der Kurs kostet im Januar 650 EUR."
    assert [it for it in wrong(body, asked, language="de") if it.kind == "code"] == []


CARDS = (
    Source("contact", "1", "Graham Yates\nKestrel Inspection Services\nEngineer", TODAY),
    Source("contact", "2", "Fiona Webb\nPennine Mutual\nAccounts", TODAY),
)
OF = {
    "en": "Graham Yates of {} comes", "de": "Graham Yates von {} kommt", "fr": "Graham Yates de {} vient",
    "es": "Graham Yates de {} viene", "nl": "Graham Yates van {} komt", "pl": "Graham Yates z {} będzie",
}  # fmt: skip


@pytest.mark.parametrize("language", OF)
def test_somebody_is_of_the_house_that_the_card_has(language):
    def marks(house):
        found = wrong(OF[language].format(house), mail("See you"), *CARDS, language=language)
        return [(it.excerpt, it.expected) for it in found if it.excerpt == house]

    assert marks("Pennine Mutual") == [("Pennine Mutual", "Kestrel Inspection Services")]
    assert marks("Kestrel Inspection Services") == []


PAID = {
    "en": ("Invoice A-0633 was paid on Friday.", "A-0633 is still open, A-0612 was paid."),
    "de": ("Rechnung A-0633 ist schon bezahlt.", "A-0633 ist noch offen, A-0612 ist bezahlt."),
    "fr": ("La facture A-0633 est déjà payée.", "A-0633 arrive à échéance lundi."),
    "es": ("La factura A-0633 ya quedó pagada.", "¿Cuándo vence entonces la A-0633?"),
    "nl": ("Factuur A-0633 is al betaald.", "A-0633 staat open."),
    "pl": ("Faktura A-0633 jest zapłacona.", "A-0633, termin płatności mija jutro."),
}


@pytest.mark.parametrize("language", PAID)
def test_what_was_paid_is_not_still_due(language):
    body, open_ = PAID[language]

    def marks(*texts):
        found = wrong(body, *(mail(it, language=language) for it in texts), language=language)
        return [it.state for it in found if "A-0633" in it.excerpt]

    assert marks("A-0633 is due.") == ["differs"]
    assert marks("A-0633 is due.", "We have paid A-0633.") == []
    assert marks(open_.replace(", A-0612 was paid", "").replace(", A-0612 ist bezahlt", "")) == [
        "differs"
    ]
    assert marks("A-0633 came on Monday.") == []


COMING = {
    "en": "Invoice A-0633 will be paid on Friday.", "de": "Die Rechnung A-0633 wird am Freitag bezahlt.",
    "fr": "La facture A-0633 sera payée vendredi.", "es": "La factura A-0633 será pagada el viernes.",
    "nl": "Factuur A-0633 wordt vrijdag betaald.", "pl": "Faktura A-0633 zostanie zapłacona w piątek.",
}  # fmt: skip


@pytest.mark.parametrize("language", COMING)
def test_what_will_be_paid_may_be_due(language):
    found = wrong(COMING[language], mail("A-0633 is due."), language=language)
    assert [it for it in found if it.kind == "promise"] == []


def test_when_a_bill_was_due_says_nothing_of_what_became_of_it():
    bill = Source("file", "1", "/A-0633.pdf\nINVOICE A-0633, due 4 March 2026", TODAY)
    assert wrong("Invoice A-0633 is settled.", mail("Has it come?"), bill) == []


DECIDED = {
    "en": "Mona Olsen has declined the offer S-771.", "de": "Mona Olsen hat das Angebot S-771 abgelehnt.",
    "fr": "Mona Olsen a refusé l'offre S-771.", "es": "Mona Olsen ha rechazado la oferta S-771.",
    "nl": "Mona Olsen heeft de offerte S-771 afgewezen.", "pl": "Mona Olsen odrzuciła ofertę S-771.",
}  # fmt: skip


@pytest.mark.parametrize("language", DECIDED)
def test_what_somebody_decided_is_what_he_or_she_wrote(language):
    def marks(text, by=MONA):
        found = wrong(DECIDED[language], mail(text, by, language="en"), language=language)
        return [it.state for it in found if it.kind == "promise"]

    assert marks("Right, go ahead with S-771.") == ["differs"]
    assert marks("Right, go ahead with S-771.", KAI) == []
    assert marks("We must turn it down: S-771 is rejected.") == []
    assert marks("Shall we go ahead with S-771?") == []
