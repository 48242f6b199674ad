"""Memories in other languages are found by other forms of their words, and by parts of compounds."""

import pytest

from agents.models import Memory, MemoryWord
from agents.recall.questions import keep_memories
from agents.recall.searching import search_memories
from inbox.actor import Actor
from tests import factories
from tests.agents.recall.saved import save_many
from tests.cases import in_one_test

pytestmark = pytest.mark.django_db

NOTES = {
    "de": (
        "Die Häuser in der Gartenstraße verwaltet seit dem Frühjahr Frau Brandt.",
        "Rechnungen von der Telekom bezahlt immer der Steuerberater.",
        "Die Vertragsnummer für den Strom steht auf dem Zettel im Keller.",
        "Herr Kranz wünscht sich zu den Sitzungen kalte Getränke.",
        "Bei Kündigungen muss der Vermieter selbst unterschreiben.",
        "Die Rechnung vom Maler liegt noch im Büro von Anna.",
        "Das kleine Haus am See ist nicht vermietet und wird im Sommer frei.",
        "Der Vertrag mit dem Gärtner läuft bis zum Ende des Jahres.",
        "Nummern der Kollegen stehen auf der Liste in der Küche.",
        "Jede Sitzung beginnt um neun und dauert nicht länger als eine Stunde.",
    ),
    "fr": (
        "Les clients de Lyon préfèrent recevoir leurs factures en début de mois.",
        "Le plombier doit réparer les chauffages avant les premières gelées.",
        "Pour les voyages, Madame Roux demande toujours des places côté couloir.",
        "Les livraisons arrivent par la cour et jamais par la rue.",
        "Une facture de plus de mille euros est toujours signée par le directeur.",
        "Pour une livraison urgente il faut appeler le gardien.",
        "Monsieur Petit veut une place au premier rang et rien d'autre.",
    ),
    "es": (
        "Las reuniones con el proveedor se celebran siempre los martes.",
        "El abogado revisa todos los contratos antes de la firma.",
        "Los camiones grandes no pueden entrar por la puerta del patio.",
        "Las instalaciones de Sevilla cierran en agosto.",
        "Para cada reunión hay que reservar la sala del segundo piso.",
        "El contrato con la imprenta es de tres años.",
    ),
    "nl": (
        "De vergaderingen met de gemeente zijn altijd op woensdag.",
        "Mevrouw Visser betaalt de rekeningen zelf en wil geen herinnering.",
        "De leveringen moeten voor tien uur bij het magazijn zijn.",
        "Onze verzekeringen lopen via het kantoor in Utrecht.",
        "Voor een vergadering is de kleine zaal niet groot genoeg.",
        "De rekening van de bakker komt altijd op de eerste van de maand.",
    ),
    "it": (
        "Le fatture della tipografia sono pagate dalla signora Conti.",
        "Gli ordini del ristorante arrivano di solito il lunedì mattina.",
        "Le spedizioni per la Sardegna partono soltanto il giovedì.",
        "Il dottor Greco non vuole riunioni dopo le cinque.",
        "La fattura del meccanico è nella cartella blu.",
        "Un ordine del ristorante di sera non è mai urgente.",
    ),
    "pt": (
        "As reuniões com a câmara são sempre na sala pequena.",
        "Os pagamentos ao fornecedor são feitos no fim do mês.",
        "As encomendas do Porto chegam com dois dias de atraso.",
        "A dona Teresa não aceita cancelamentos por telefone.",
        "Uma reunião de mais de uma hora não é possível com o diretor.",
        "O pagamento da renda é feito pela Joana.",
    ),
    "sv": (
        "Fakturorna från elbolaget betalas av Karin och inte av oss.",
        "Mötena med kommunen är alltid på torsdagar.",
        "En faktura på mer än tusen kronor är inte vår.",
    ),
    "pl": (
        "Faktury od drukarni zawsze opłaca pani Nowak i nie trzeba pytać.",
        "Spotkania z klientem z Krakowa są we wtorki.",
        "Jedno spotkanie w tygodniu jest dla niego za mało.",
    ),
    "ru": (
        "Договоры с поставщиком подписывает только Ирина.",
        "Встречи с клиентами проходят по средам в офисе.",
        "Один договор с типографией лежит в сейфе у директора.",
    ),
    "tr": ("Faturalar her ayın sonunda muhasebe tarafından ödenir ve arşivlenir.",),
    "en": (
        "Ada keeps the spare keys of the van behind the reception desk.",
        "The printer on the third floor jams when it is fed thick paper.",
    ),
}
# What is asked, and how the notes begin that have it in one form or another: they are found first.
QUESTIONS = {
    "Rechnung": {"Rechnungen von", "Die Rechnung vom"},
    "Häuser": {"Die Häuser", "Das kleine Haus"},
    "Wer verwaltet das Haus?": {"Die Häuser", "Das kleine Haus"},
    "Vertrag": {"Die Vertragsnummer", "Der Vertrag"},
    "Nummern": {"Die Vertragsnummer", "Nummern der"},
    "Sitzung": {"Herr Kranz", "Jede Sitzung"},
    "factures": {"Les clients de Lyon", "Une facture"},
    "livraison": {"Les livraisons", "Pour une livraison"},
    "Quelle place demande-t-elle ?": {"Pour les voyages", "Monsieur Petit"},
    "reunión": {"Las reuniones", "Para cada reunión"},
    "contrato": {"El abogado", "El contrato"},
    "vergadering": {"De vergaderingen", "Voor een vergadering"},
    "Wie betaalt de rekening?": {"Mevrouw Visser", "De rekening"},
    "fattura": {"Le fatture", "La fattura"},
    "ordine ristorante": {"Gli ordini", "Un ordine"},
    "reunião": {"As reuniões", "Uma reunião"},
    "pagamento": {"Os pagamentos", "O pagamento"},
    "faktura från": {"Fakturorna", "En faktura"},
    "договор": {"Договоры", "Один договор"},
    "spotkanie": {"Spotkania", "Jedno spotkanie"},
    "where are the keys of the van": {"Ada keeps"},
}


@pytest.fixture
def notes(actor: Actor) -> None:
    save_many(actor, [note for those in NOTES.values() for note in those])


@in_one_test("question", QUESTIONS)
def test_other_forms_of_words_are_found_in_each_language(actor, notes, question: str) -> None:
    wanted = QUESTIONS[question]
    found = search_memories(actor=actor, query=question, limit=10)
    first = [it.memory.content for it in found][: len(wanted)]
    assert {start for start in wanted for it in first if it.startswith(start)} == wanted, first


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("about:Rechnung Telekom", {"Rechnungen von"}),
        ("Büro -Rechnung", set()),
        ("contrato firma", {"El abogado"}),
        ("Kündigung Vermieter", {"Bei Kündigungen"}),
    ],
)
def test_conditions_and_lists_know_other_forms(actor, notes, query, found) -> None:
    rows = keep_memories(actor, Memory.objects.all(), query)
    texts = [row.content for row in rows]
    assert len(texts) == len(found)
    assert all(any(text.startswith(start) for text in texts) for start in found)


def test_what_was_saved_without_whole_words_is_found_by_the_language_of_the_question(
    actor, notes
) -> None:
    MemoryWord.objects.filter(word__contains=":").delete()
    query = "Wo ist die Rechnung von der Telekom und wer bezahlt sie?"
    found = search_memories(actor=actor, query=query, limit=1)
    assert [it.memory.content for it in found] == [NOTES["de"][1]]


def test_words_of_another_agent_are_no_forms(actor, notes, workspace) -> None:
    other = factories.agent_actor(factories.make_agent(workspace, name="Other"))
    save_many(other, ["Die Rechnung vom Maler liegt noch im Büro."])
    found = search_memories(actor=other, query="Rechnungen", limit=10)
    assert len(found) == 1
