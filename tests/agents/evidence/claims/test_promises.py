"""What only the house may say: bank details, approvals, agreements, visits today and admissions."""

from datetime import date
from time import process_time

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import Mark, Named, ProposedMessage, Source
from inbox.rfc5322.text.language import detect_language

TODAY = date(2026, 3, 10)
VERA = Named("Vera Holt", "vera@quarry.example")


def source(type_, text, **fields):
    return Source(type_, "1", text, TODAY, language=detect_language(text), **fields)


ASKED = source("message", "Stone\nCould you look into this? Vera Holt", by=VERA.email)


def promises(body, *sources, language="") -> list[Mark]:
    proposed = ProposedMessage("", body, TODAY, language or detect_language(body), (VERA,))
    marks = check_claims(proposed, [ASKED, *sources], known=(VERA,))
    return [mark for mark in marks if mark.kind == "promise"]


BANK = {
    "en": "We have updated your bank details.",
    "de": "Wir haben die neue Bankverbindung hinterlegt.",
    "fr": "Nous avons enregistré vos nouvelles coordonnées bancaires.",
    "es": "Hemos actualizado sus datos bancarios.",
    "it": "Abbiamo aggiornato le vostre coordinate bancarie.",
    "nl": "Uw bankgegevens hebben wij aangepast.",
    "pl": "Zaktualizowaliśmy Państwa dane bankowe.",
    "pt": "Atualizámos os seus dados bancários.",
}


@pytest.mark.parametrize("language", BANK)
def test_bank_details_are_changed_where_a_colleague_says_so(language):
    (mark,) = promises(BANK[language], language=language)
    assert mark.state == "nowhere"
    done = source(
        "message", "Stone\nI have updated the bank details in our books.", by="kai@us.example",
        is_inside=True,
    )  # fmt: skip
    (mark,) = promises(BANK[language], done, language=language)
    assert mark.state == "found"


def test_what_a_policy_forbids_is_told_with_its_words_in_whatever_language():
    policy = source(
        "policy", "Die Hausregeln für uns alle: Bankverbindungen werden nie auf eine Mail hin geändert.",
        is_ours=True,
    )  # fmt: skip
    (mark,) = promises("We have updated your bank details.", policy)
    assert (mark.state, "nie" in mark.expected) == ("differs", True)
    assert promises("We never change bank details because of a mail.", policy) == []


GRANTED = {
    "en": "Your application has been approved.",
    "de": "Ihr Antrag wurde gestern genehmigt.",
    "fr": "Votre demande a été approuvée.",
    "es": "Su solicitud ha sido aprobada.",
    "it": "La sua domanda è stata approvata.",
    "nl": "Uw aanvraag is gisteren goedgekeurd.",
    "pl": "Państwa wniosek został zatwierdzony.",
    "pt": "O seu pedido foi aprovado.",
}


@pytest.mark.parametrize("language", GRANTED)
def test_what_is_granted_was_granted_by_somebody(language):
    (mark,) = promises(GRANTED[language], language=language)
    assert mark.state == "nowhere"
    told = source("message", "Stone\nThe board approved it on Monday.", by="kai@us.example")
    (mark,) = promises(GRANTED[language], told, language=language)
    assert mark.state == "found"


AGREED = {
    "en": "As agreed, we bring the stones to the yard.",
    "de": "Wie vereinbart bringen wir die Steine auf den Hof.",
    "fr": "Comme convenu, nous livrons les pierres dans la cour.",
    "es": "Como acordamos, llevamos las piedras al patio.",
    "it": "Come concordato portiamo le pietre nel cortile.",
    "nl": "Zoals afgesproken brengen wij de stenen naar de werf.",
    "pl": "Jak ustaliliśmy, przywieziemy kamienie na plac.",
    "pt": "Conforme combinado, levamos as pedras para o pátio.",
}


@pytest.mark.parametrize("language", AGREED)
def test_what_was_agreed_stands_in_the_thread(language):
    (mark,) = promises(AGREED[language], language=language)
    assert mark.state == "nowhere"
    policy = source("policy", "Discounts are agreed by the owner.", is_ours=True)
    (mark,) = promises(AGREED[language], policy, language=language)
    assert mark.state == "nowhere"
    accepted = source("message", "Stone\nThe yard works for us.", by=VERA.email)
    (mark,) = promises(AGREED[language], accepted, language=language)
    assert mark.state == "found"


ADMITTED = {
    "en": "I am sorry that our driver damaged your gate.",
    "de": "Es tut uns leid, dass unser Fahrer das Tor beschädigt hat.",
    "fr": "Notre chauffeur a endommagé votre portail.",
    "es": "Nuestro chófer dañó su puerta.",
    "it": "Il nostro autista ha danneggiato il cancello.",
    "nl": "Onze chauffeur heeft uw hek beschadigd.",
    "pl": "Nasz kierowca uszkodził Państwa bramę.",
    "pt": "O nosso motorista danificou o seu portão.",
}


@pytest.mark.parametrize("language", ADMITTED)
def test_an_admission_is_marked_whatever_the_other_side_says(language):
    accused = source("message", "Stone\nYour driver damaged my gate.", by=VERA.email)
    (mark,) = promises(ADMITTED[language], accused, language=language)
    assert mark.state == "nowhere"


CAUSES = {
    "en": "The work has caused the cracks in your wall.",
    "de": "Die Bohrungen haben die Risse in der Wand verursacht.",
    "fr": "Le retard est dû à notre erreur.",
    "es": "El retraso se produjo por un error nuestro.",
    "it": "Il ritardo è avvenuto per colpa nostra.",
    "nl": "De boringen hebben de scheuren in uw muur veroorzaakt.",
    "pl": "Opóźnienie powstało z naszej winy.",
}


@pytest.mark.parametrize("language", CAUSES)
def test_a_cause_is_admitted_only_where_the_goal_says_so_if_the_policy_rules_it_out(language):
    policy = source("policy", "We never admit fault or liability in writing.", is_ours=True)
    colleague = source(
        "message", "Stone\nThat was our mistake.", by="kai@us.example", is_inside=True
    )  # fmt: skip
    (mark,) = promises(CAUSES[language], colleague, policy, language=language)
    assert (mark.state, "never" in mark.expected) == ("differs", True)
    goal = source("goal", "Tell her that it was our mistake", is_ours=True)
    (mark,) = promises(CAUSES[language], goal, policy, language=language)
    assert mark.state == "found"


MISTAKES = {
    "en": "Our fitter forgot to close the valve.",
    "de": "Uns ist dabei ein Fehler unterlaufen.",
    "fr": "Nous avons commis une erreur.",
    "es": "Hemos cometido un error.",
    "it": "Abbiamo commesso un errore.",
    "nl": "De schuld ligt bij ons.",
    "pl": "Popełniliśmy błąd.",
}
RULES = {
    "en": "We never admit fault in writing.", "de": "Wir erkennen nie einen Fehler an.",
    "fr": "Nous ne reconnaissons jamais de faute.", "es": "Nunca admitimos culpa por escrito.",
    "it": "Non ammettiamo mai colpe.", "nl": "Wij erkennen nooit schuld.",
    "pl": "Nigdy nie przyznajemy się do winy.",
}  # fmt: skip


@pytest.mark.parametrize("language", MISTAKES)
def test_a_mistake_is_marked_where_a_rule_is_against_admitting_any(language):
    assert promises(MISTAKES[language], language=language) == []
    for spoken, rule in RULES.items():
        policy = Source("policy", "1", f"# {rule}", TODAY, is_ours=True, language=spoken)
        (mark,) = promises(MISTAKES[language], policy, language=language)
        assert mark.state == "differs", rule


def test_a_contract_that_speaks_of_liability_admits_none():
    contract = source("file", "/c.txt\nThe tenant accepts liability for damage.", is_ours=True)
    (mark,) = promises("We accept liability for this.", contract)
    assert mark.state == "nowhere"


def test_asking_what_caused_something_admits_nothing():
    assert promises("Was die Risse verursacht hat, prüft nun ein Gutachter.", language="de") == []


BINDING = {
    "en": "The roof is done by May, you can rely on that.",
    "de": "Das Dach ist im Mai fertig, das sagen wir Ihnen verbindlich zu.",
    "fr": "Le toit sera prêt en mai, c'est promis.",
    "es": "El techo estará en mayo, le doy mi palabra.",
    "nl": "Het dak is in mei klaar, dat zeggen wij u bindend toe.",
    "pl": "Dach będzie gotowy w maju, zobowiązujemy się.",
}


@pytest.mark.parametrize("language", BINDING)
def test_what_is_binding_may_be_ruled_out(language):
    policy = source("policy", "Dates are never promised as binding.", is_ours=True)
    (mark,) = promises(BINDING[language], policy, language=language)
    assert mark.state == "nowhere"


def test_a_rule_on_what_is_promised_is_about_that():
    sheet = source("file", "/sheet.txt\nGuarantee on all gearmotors 24 months.", is_ours=True)
    policy = source(
        "policy", "# We never promise faster answers to anybody who asks us.", is_ours=True
    )
    (mark,) = promises("We guarantee 24 months on all gearmotors.", sheet, policy)
    assert mark.state == "found"
    (mark,) = promises("We guarantee you faster answers.", policy)
    assert mark.state == "differs"


ENTERED = {
    "en": "I have entered sort code 04-29-51 with your details.",
    "es": "Hemos actualizado la ficha de su hotel con la cuenta nueva.",
    "fr": "Nous avons enregistré dans notre fichier votre nouveau compte.",
    "nl": "Wij hebben uw nieuwe rekening vandaag in onze administratie verwerkt.",
    "pl": "Wprowadziłam do systemu nowy rachunek.",
    "de": "Wir verwenden ab sofort Ihr neues Konto.",
}


@pytest.mark.parametrize("language", ENTERED)
def test_a_new_account_is_entered_only_where_somebody_of_ours_says_so(language):
    (mark,) = promises(ENTERED[language], language=language)
    assert mark.state == "nowhere"


def test_that_something_is_free_here_admits_nothing():
    policy = source("policy", "Bis 14 Tage vorher ist das Storno kostenlos.", is_ours=True)
    marks = promises("Bis 14 Tage vorher ist das Storno bei uns kostenlos.", policy, language="de")
    assert {mark.state for mark in marks} == {"found"}


def test_nobody_comes_today_unless_somebody_says_so():
    (mark,) = promises("We will come round this afternoon.")
    assert mark.state == "nowhere"
    goal = source("goal", "Tell her Kai comes today.", is_ours=True)
    (mark,) = promises("We will come round this afternoon.", goal)
    assert mark.state == "found"
    assert promises("We cannot come round today.") == []


CALLS = {
    "en": "Ms Olsen will get back to you next week.",
    "de": "Frau Olsen meldet sich nächste Woche bei Ihnen.",
    "fr": "Mme Olsen vous rappellera.",
    "es": "La señora Olsen le llamará.",
    "it": "La signora Olsen vi ricontatterà.",
    "nl": "Mevrouw Olsen neemt contact met u op.",
    "pl": "Pani Olsen zadzwoni w środę.",
    "pt": "A senhora Olsen entrará em contacto consigo.",
}


@pytest.mark.parametrize("language", CALLS)
def test_who_will_call_is_who_ours_say(language):
    (mark,) = promises(CALLS[language], language=language)
    assert mark.state == "nowhere"
    other = source("policy", "Complaints: Mr Brown will get back to them.", is_ours=True)
    (mark,) = promises(CALLS[language], other, language=language)
    assert (mark.state, "Brown" in mark.expected) == ("differs", True)
    for told in (
        source("policy", "Complaints: Ms Olsen will get back to them.", is_ours=True),
        source("goal", "Olsen calls her", is_ours=True),
        source("message", "Stone\nI take this one. Olsen", by="olsen@us.example", is_inside=True),
    ):
        (mark,) = promises(CALLS[language], told, language=language)
        assert mark.state == "found", told


@pytest.mark.parametrize(
    "body",
    [
        "Vera Holt will ring us then.", "A technician will call you.", "She will write to you.",
        "I am off today.\n\nMs Olsen will get back to you.\n\nRegards\nMona Olsen",
    ],
)  # fmt: skip
def test_who_writes_who_reads_and_who_has_no_name_may_call(body):
    assert promises(body, language="en") == []


def test_a_title_without_end_takes_no_longer_than_its_length():
    def spent(length):
        start = process_time()
        promises("dr. " * length, language="en")
        return process_time() - start

    spent(10)
    long, short = (min(spent(length) for _ in range(3)) for length in (2_800, 700))
    assert long < 9 * short + 0.05


def test_a_file_guarantees_only_what_it_speaks_of():
    body = "We guarantee that the line runs again by Sunday."
    sheet = source(
        "file", "/sheet.txt\nAll gearmotors have a guarantee of 24 months.", is_ours=True
    )
    (mark,) = promises(body, sheet)
    assert mark.state == "nowhere"
    (mark,) = promises("We guarantee 24 months on all gearmotors.", sheet)
    assert mark.state == "found"


def test_whoever_has_time_offers_nothing_for_nothing():
    mine = source("message", "Stone\nI am free on Monday.", by=VERA.email)
    (mark,) = promises("The stones are free of charge.", mine)
    assert mark.state == "nowhere"
