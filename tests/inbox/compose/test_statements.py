"""What a goal tells without a verb for it, goals in infinitives, and goals of another language."""

from datetime import date

import pytest

from inbox.compose import compose_reply
from inbox.compose.goals.reading import read_goal
from inbox.compose.goals.statements import statements
from inbox.compose.thread.ordinals import with_dates
from inbox.models import Identity
from inbox.policies import Policy
from tests.cases import in_one_test
from tests.factories import make_message

MAILS = {
    "en": ("Contract", "Could we meet next Tuesday at 2 pm or Thursday at 10 am?"),
    "de": ("Termin", "Können wir uns am Freitag, den 6. März um 14 Uhr treffen?"),
    "fr": ("Réunion", "Seriez-vous disponible pour une réunion jeudi 5 mars à 15h ?"),
    "it": ("Incontro", "Potremmo incontrarci giovedì 5 marzo alle 15?"),
    "pt": ("Encomenda 640", "A minha encomenda 640 chegou danificada. Paguei 65,00 EUR e quero o reembolso."),
    "pl": ("Spotkanie", "Czy moglibyśmy spotkać się w piątek 6 marca o 10:00?"),
    "nl": ("Afspraak", "Kunnen wij een afspraak maken op vrijdag 6 maart om 9.00 uur?"),
    "ja": ("打ち合わせ", "3月10日の15時に打ち合わせをお願いできますでしょうか。"),
    "ar": ("موعد", "هل يمكننا أن نجتمع يوم الثلاثاء 10 مارس الساعة 10:00؟"),
}  # fmt: skip


@in_one_test(
    ("clause", "codes"),
    [
        ("Delivery is free", ["en"]),
        ("we will send it on Friday", ["en"]),
        ("it's over budget", ["en"]),
        ("Request a proof before printing starts", []),
        ("escalate to a manager", []),
        ("wombat 42 blue", []),
        ("Malte Siebert nimmt das Gerät am 30.11. an", ["de"]),
        ("Fordere ein Muster an, bevor der Druck kommt", []),
        ("Schlage Freitag 14 Uhr vor", []),
        ("Le total est de 145 euros", ["fr"]),
        ("hay cinco vegetarianos", ["es"]),
        ("Il montaggio è compreso", ["it"]),
    ],
)
def test_a_clause_that_tells_something_is_told_apart_from_an_instruction(clause, codes):
    found = {act.language for act in statements(clause)}
    assert found >= set(codes)
    assert bool(found) == bool(codes)


@in_one_test(
    ("text", "said"),
    [
        ("Thursday the 5th at 10", "Thursday 2026-03-05 at 10"),
        ("Thursday 5th or Friday 6th", "Thursday 2026-03-05 or Friday 2026-03-06"),
        ("Thursday 10", "Thursday 10"),
        ("Thursday the 6th", "Thursday the 6th"),
        ("Donnerstag 9 Uhr", "Donnerstag 9 Uhr"),
    ],
)
def test_a_weekday_with_its_number_is_a_date_where_both_fit(text, said):
    assert with_dates(text, date(2026, 3, 2)) == said


def test_what_an_instruction_tells_behind_a_comma_is_a_clause_of_its_own():
    assert [it.text for it in read_goal("Decline the offer, we are full")] == [
        "Decline the offer", "we are full"
    ]  # fmt: skip
    assert len(read_goal("say no, she only needs her pass")) == 1


@pytest.fixture
def reply(inbox):
    identity: Identity = inbox.account.identities.get()

    def compose(goal: str, code: str):
        subject, text = MAILS[code]
        message = make_message(
            inbox, subject=subject, text=text, language=code, sender_name="Carla Jones"
        )
        found = compose_reply([message], goal, Policy(), identity)
        reasons = [it.reason for it in found.risk_flags if it.flag == "low_confidence"]
        return "\n\n".join(found.body.split("\n\n")[1:-1]), reasons

    return compose


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("goal", "code", "sentences"),
    [
        ("Tuesday at 2 pm is fine. Parking is behind the building.", "en",
         ["Tuesday at 2 pm is fine. Parking is behind the building."]),
        ("Take the Thursday slot, the door code is 4471", "en",
         ["Thursday, 5 March 2026 at 10:00. The door code is 4471."]),
        ("Confirm Tuesday at 2 pm London time", "en", ["Tuesday, 10 March 2026 at 14:00."]),
        ("Freitag 14 Uhr zusagen und mitteilen, dass Frau Kessler dabei ist", "de",
         ["unseren Termin am Freitag, 6. März 2026 um 14:00 Uhr.", "dass Frau Kessler dabei ist."]),
        ("Sag ihm, dass Tor 2 offen ist und dass wir warten", "de",
         ["Wir teilen Ihnen mit, dass Tor 2 offen ist, und dass wir warten."]),
        ("Confirmer jeudi à 15 h, dire que le parking est gratuit", "fr",
         ["le jeudi 5 mars 2026 à 15 h.", "Nous vous informons que le parking est gratuit."]),
        ("Conferma giovedì alle 15 e di' che la sala è al primo piano", "it",
         ["il nostro incontro giovedì 5 marzo 2026, ore 15:00.", "Le comunichiamo che la sala è al primo piano."]),
        ("Confirm Thursday at 15:00", "it", ["il nostro incontro giovedì 5 marzo 2026, ore 15:00."]),
        ("Pede desculpa pelo dano e confirma o reembolso de 65 EUR", "pt",
         ["Lamentamos o dano.", "Confirmamos o reembolso de 65,00 EUR."]),
        ("Potwierdź piątek o 10:00 i napisz, że parking jest bezpłatny", "pl",
         ["Potwierdzamy nasze spotkanie", "Informujemy, że parking jest bezpłatny."]),
        ("Vrijdag 9 uur bevestigen en vragen hoe lang het gesprek duurt", "nl",
         ["op vrijdag 6 maart 2026 om 9:00 uur.", "Kunt u ons laten weten hoe lang het gesprek duurt?"]),
        ("場所は本社だと伝えてください", "ja", ["場所は本社であることをお伝えいたします。"]),
        ("أخبرها أن مكتبنا في الطابق الثالث", "ar", ["نفيدكم بأن مكتبنا في الطابق الثالث."]),
    ],
)  # fmt: skip
def test_it_is_said_in_the_language_of_goal_and_mail(reply, goal, code, sentences):
    body, reasons = reply(goal, code)
    assert not reasons
    for sentence in sentences:
        assert sentence in body


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("goal", "code", "reasons"),
    [
        ("Tell her that the hall is cold", "de", ["other_words", "body_to_write"]),
        ("Sag ihr, dass die Halle kalt ist", "en", ["other_words", "body_to_write"]),
        ("Confirm Thursday at 15:00 and tell her that the hall is cold", "it", ["other_words"]),
        ("wombat 42 blue", "pt", ["not_understood", "body_to_write"]),
        ("Explain we have no room, blame the landlord", "en", ["not_understood"]),
        ("Blame the landlord", "en", ["not_understood", "body_to_write"]),
    ],
)  # fmt: skip
def test_what_cannot_be_said_is_left_for_the_agent_to_write(reply, goal, code, reasons):
    body, found = reply(goal, code)
    assert found == reasons
    for word in ("hall", "Halle", "wombat", "blame"):
        assert word not in body


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("code", "text", "goal", "sentences"),
    [
        ("de", "Kannst du am Samstag, 7. März, um 18 Uhr zur Probe kommen? Treffen wir uns?",
         "Sag zu und schreib, dass ich die Noten mitbringe",
         ["Hallo Carla,", "vielen Dank für deine Nachricht.", "Ich möchte dir sagen, dass ich die Noten mitbringe."]),
        ("es", "Hola: ¿te va bien el jueves 5 de marzo a las 10 para la reunión? Dime si puedes.",
         "Pide disculpas y propón el viernes 6 a las 12", ["¿Te vendría bien el viernes 6 de marzo de 2026 a las 12:00?"]),
        ("fr", "Salut, tu es libre pour un rendez-vous jeudi 5 mars à 14 h ?",
         "Dis-lui que je suis malade", ["Merci pour ton message.", "Nous t'informons que je suis malade."]),
    ],
)  # fmt: skip
def test_who_is_on_first_name_terms_is_answered_so(inbox, code, text, goal, sentences):
    message = make_message(inbox, text=text, language=code, sender_name="Carla Jones")
    found = compose_reply([message], goal, Policy(), inbox.account.identities.get())
    assert "low_confidence" not in [it.flag for it in found.risk_flags]
    for sentence in sentences:
        assert sentence in found.body


@pytest.mark.django_db
def test_a_draft_that_is_formal_where_the_mail_is_not_says_so(inbox):
    text = "Kannst du mir sagen, wann die Probe ist?"
    message = make_message(inbox, text=text, language="de", sender_name="Carla Jones")
    found = compose_reply(
        [message], "Frag, ob sie Zeit hat", Policy(), inbox.account.identities.get()
    )
    assert ("low_confidence", "formal") in [(it.flag, it.reason) for it in found.risk_flags]
