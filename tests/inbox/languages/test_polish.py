"""Polish letters, private and of business: told, classified, read for values, and answered."""

from datetime import UTC, datetime

import pytest

from inbox.classify import Facts, MessageFacts
from inbox.classify.decide import judge
from inbox.compose import compose_reply
from inbox.compose.goals.reading import wanted_language
from inbox.extract import extract_from
from inbox.extract.document import Document, layers_of
from inbox.intake.threading import base_subject, is_reply_subject
from inbox.models import Identity
from inbox.policies import read_policy
from inbox.policies.sensitive import find_sensitive
from inbox.providers.imap.names import role_by_name
from inbox.returned.plain_bounces import read_plain_bounce
from inbox.rfc5322.text.language import detect_language
from inbox.rfc5322.text.quotes import new_text
from tests.factories import make_message

SENT = datetime(2026, 3, 2, 12, tzinfo=UTC)  # a Monday
LATE = (
    "Dzień dobry,\n\nw zeszłym tygodniu zamówiłam u Państwa stół (zamówienie nr 48213). Miał przyjść wczoraj, ale nikt się "
    "nie pojawił i nie mam żadnej wiadomości. Czy mogliby Państwo napisać, kiedy mogę się go spodziewać?\n\n"
    "Pozdrawiam,\nAnna Kowalska"
)
OFFER = (
    "Dzień dobry,\n\njesteśmy biurem architektonicznym w Krakowie i szukamy dwunastu biurek. Proszę o przesłanie oferty "
    "do piątku, razem z kosztem dostawy.\n\nZ poważaniem,\nPiotr Nowak"
)
INVOICE = (
    "Szanowni Państwo,\n\nw załączeniu przesyłamy fakturę nr FV/117/2026. Kwotę do zapłaty 1 452,00 zł prosimy przelać na "
    "konto PL61 1090 1014 0000 0712 1981 2874 w terminie do 16 marca 2026 r.\n\nZ poważaniem,\nJan Lis\nMeble Lis Sp. z o.o."
)
REMINDER = "Przypominamy, że faktura nr 98/2026 nie została jeszcze opłacona. Prosimy o zapłatę kwoty 318,50 zł do dnia 15.03.2026."
ANGRY = (
    "To już trzeci raz, kiedy do Państwa piszę, i nadal nie mam odpowiedzi. To jest skandal, składam reklamację i żądam "
    "zwrotu pieniędzy."
)
URGENT = (
    "Pilne! Kierowca stoi pod zamkniętą bramą. Proszę natychmiast do mnie zadzwonić: 601 234 567."
)
CALM = "Czy może mi Pani przysłać nowy katalog? To nic pilnego, nie ma pośpiechu."
DOWN = "Od rana sklep internetowy nie działa i nasi klienci nie mogą się zalogować. Czy to awaria po Państwa stronie?"
PARTY = "Kochana babciu, w sobotę świętujemy urodziny Kasi. Przyjdziesz do nas? Zaczynamy o trzeciej.\n\nCałuski, Ola"
MEETING = "Cześć Marku, czy możemy się spotkać we wtorek 10 marca o 14:30 w biurze? Pozdrawiam, Ewa"
AWAY = "Dziękuję za wiadomość. Do 16 marca jestem na urlopie i nie mam dostępu do poczty. To jest automatyczna odpowiedź."
NEWS = "Newsletter na marzec: nowości w naszym sklepie. Jeśli nie chcesz otrzymywać tych wiadomości, wypisz się z listy."
SALE = (
    "Tylko dziś rabat 40% na wszystko i darmowa dostawa! Kup teraz i skorzystaj z naszej promocji."
)
PHISH = "Twoje konto zostało zablokowane. Potwierdź swoje dane w ciągu 24 godzin, klikając w link."
SHIPPED = "Dziękujemy za zamówienie! Twoja paczka została wysłana i dotrze jutro. Numer przesyłki: 3SABC123456789."
THANKS = "Bardzo dziękuję za szybką pomoc, wszystko już działa. Świetna obsługa!"
REFUND = "Lampa dotarła uszkodzona. Chciałabym ją zwrócić i prosić o zwrot pieniędzy na moje konto."
CANCEL = "Niestety muszę odwołać nasze czwartkowe spotkanie, bo jestem chora. Przepraszam!"
ADDRESS = "Proszę o dostawę na adres:\nul. Długa 12/4\n31-147 Kraków"
STAY = "Przyjedziemy w cztery osoby na trzy noce, przyjazd 12 kwietnia."
LETTERS = [
    LATE, OFFER, INVOICE, REMINDER, ANGRY, URGENT, CALM, DOWN, PARTY, MEETING, AWAY, NEWS, SALE,
    PHISH, SHIPPED, THANKS, REFUND, CANCEL,
]  # fmt: skip


@pytest.mark.parametrize("letter", LETTERS)
def test_a_letter_is_told_to_be_polish(letter):
    assert detect_language(letter) == "pl"


@pytest.mark.parametrize(
    ("letter", "kind", "signals"),
    [
        (LATE, "request", {"asks_you"}),
        (OFFER, "deadline_request", {"please", "deadline"}),
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
    message = MessageFacts(language="pl", received=2)
    found = judge(Facts(content=letter, sender_email="a@klient.example", message=message))
    assert signals <= set(found.found)
    assert found.kind.name == kind
    assert "unread_language" not in found.found


TEXT, NUMBER, WHOLE = {"type": "string"}, {"type": "number"}, {"type": "integer"}
YES, DAY = {"type": "boolean"}, {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}


@pytest.mark.parametrize(
    ("fields", "letter", "found"),
    [
        ({"order_number": TEXT, "name": TEXT}, LATE, {"order_number": "48213", "name": "Anna Kowalska"}),
        ({"name": TEXT, "due_date": DAY}, OFFER, {"name": "Piotr Nowak", "due_date": "2026-03-06"}),
        ({"invoice_number": TEXT, "total": NUMBER, "currency": TEXT, "iban": TEXT, "due_date": DAY}, INVOICE,
         {"invoice_number": "FV/117/2026", "total": 1452.0, "currency": "PLN",
          "iban": "PL61 1090 1014 0000 0712 1981 2874", "due_date": "2026-03-16"}),
        ({"due_date": DAY, "amount": NUMBER}, REMINDER, {"due_date": "2026-03-15", "amount": 318.5}),
        ({"phone": TEXT, "urgent": YES}, URGENT, {"phone": "601 234 567", "urgent": True}),
        ({"meeting_at": MOMENT}, MEETING, {"meeting_at": "2026-03-10T14:30:00Z"}),
        ({"tracking_number": TEXT}, SHIPPED, {"tracking_number": "3SABC123456789"}),
        ({"delivery_date": DAY}, SHIPPED, {"delivery_date": "2026-03-03"}),
        ({"refund": YES, "problem": {"enum": ["broken", "missing", "wrong"]}}, REFUND, {"refund": True, "problem": "broken"}),
        ({"guests": WHOLE, "nights": WHOLE, "checkin": DAY}, STAY, {"guests": 4, "nights": 3, "checkin": "2026-04-12"}),
        ({"street": TEXT, "postcode": TEXT, "city": TEXT}, ADDRESS,
         {"street": "ul. Długa 12/4", "postcode": "31-147", "city": "Kraków"}),
        ({"company": TEXT}, INVOICE, {"company": "Meble Lis Sp. z o.o."}),
        ({"meeting_date": DAY}, "Czy możemy się spotkać pojutrze?", {"meeting_date": "2026-03-04"}),
        ({"duration_minutes": WHOLE}, "Spotkanie potrwa półtorej godziny.", {"duration_minutes": 90}),
    ],
)  # fmt: skip
def test_values_are_found(fields, letter, found):
    document = Document(
        layers=layers_of("", letter, letter, ()), own_text=letter, sent_at=SENT,
        sender_email="x@klient.example", language="pl",
    )  # fmt: skip
    schema = {"type": "object", "properties": fields}
    assert extract_from(document, schema).data == found


@pytest.fixture
def draft(inbox):
    def compose(goal: str, text: str, *, tone="friendly") -> tuple[str, list[str]]:
        message = make_message(inbox, text=text, language="pl", sender_name="Anna Kowalska")
        identity: Identity = inbox.account.identities.get()
        reply = compose_reply([message], goal, read_policy(f"tone: {tone}"), identity)
        return reply.body, [flag.flag for flag in reply.risk_flags]

    return compose


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("goal", "letter", "sentences"),
    [
        ("apologise for the delay and ask for a photo", LATE, ["Przepraszamy za opóźnienie.", "Prosimy o zdjęcie."]),
        ("przeproś za opóźnienie i poproś o numer zamówienia", LATE, ["Przepraszamy za opóźnienie.", "Prosimy o numer zamówienia."]),
        ("potwierdź zwrot pieniędzy", REFUND, ["Potwierdzamy zwrot pieniędzy."]),
        ("potwierdź spotkanie", MEETING, ["Potwierdzamy nasze spotkanie w terminie: wtorek, 10 marca 2026, godz. 14:30."]),
        ("podziękuj jej za wiadomość", THANKS, ["Dziękujemy za wiadomość."]),
        ("odwołaj spotkanie", MEETING, ["Niestety musimy odwołać nasze spotkanie"]),
    ],
)  # fmt: skip
def test_a_letter_is_answered_in_polish(draft, goal, letter, sentences):
    body, flags = draft(goal, letter)
    assert "low_confidence" not in flags
    assert body.startswith("Dzień dobry,\n\n")
    assert body.endswith("Pozdrawiamy,\nLantern")
    for sentence in sentences:
        assert sentence in body


@pytest.mark.django_db
def test_words_of_a_goal_that_would_have_to_be_declined_are_not_said(draft):
    body, flags = draft("przeproś za opóźnienie i poproś ją o jej stary katalog", LATE)
    assert "Przepraszamy za opóźnienie." in body
    assert "katalog" not in body
    assert "low_confidence" in flags


@pytest.mark.django_db
def test_a_formal_letter_is_formal(draft):
    body, _ = draft("poproś o numer klienta", "Zamawiam dwanaście krzeseł.", tone="formal")
    assert body.startswith(
        "Szanowni Państwo,\n\nDziękujemy za wiadomość z dnia 2 marca 2026.\n\nProsimy o numer klienta."
    )
    assert body.endswith("Z poważaniem,\nLantern")


def test_a_goal_names_polish_in_any_language():
    assert wanted_language("reply in Polish") == "pl"
    assert wanted_language("antworte auf Polnisch") == "pl"
    assert wanted_language("odpowiedz po polsku") == "pl"


@pytest.mark.parametrize(
    "history",
    [
        "W dniu 2.03.2026 o 09:12, Anna Kowalska pisze:\n> Kiedy przyjdzie stół?",
        "pon., 2 mar 2026 o 09:12 Anna Kowalska <anna@klient.example> napisał(a):\n\n> Kiedy przyjdzie stół?",
        "Wiadomość napisana przez Anna Kowalska <anna@klient.example> w dniu 2 mar 2026, o godz. 09:12:\n\n> Kiedy?",
        "-----Wiadomość oryginalna-----\nOd: Anna Kowalska\nWysłano: poniedziałek, 2 marca 2026 09:12\nDo: Lantern\nTemat: Stół\n\nKiedy?",
        "Od: Anna Kowalska <anna@klient.example>\nWysłano: poniedziałek, 2 marca 2026 09:12\nDo: Lantern\nTemat: Stół\n\nKiedy?",
    ],
)  # fmt: skip
def test_history_is_left_out(history):
    assert new_text(f"Stół przyjdzie jutro.\n\n{history}\n") == "Stół przyjdzie jutro."


def test_what_a_telephone_adds_is_left_out():
    assert new_text("Do jutra!\n\nWysłane z iPhone'a") == "Do jutra!"


@pytest.mark.parametrize("subject", ["Odp.: Stół", "Odp: Stół", "PD: Stół", "Re: PD: Stół"])
def test_the_marks_of_replies_are_no_part_of_the_subject(subject):
    assert base_subject(subject) == "stół"
    assert is_reply_subject(subject) == (not subject.startswith("PD"))


@pytest.mark.parametrize(
    ("subject", "kind"),
    [
        ("Niedostarczona wiadomość", "failed"),
        ("Nie można dostarczyć wiadomości", "failed"),
        ("Opóźnienie dostarczenia wiadomości", "delayed"),
    ],
)
def test_a_mail_that_came_back_is_known_by_its_subject(subject, kind):
    text = "<anna@klient.example>:\nskrzynka odbiorcy nie odpowiada"
    reports = read_plain_bounce(subject, "", text, by_mail_system=True)
    assert [(it.kind, it.address) for it in reports] == [(kind, "anna@klient.example")]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("Hasło: Zima2026!", "Zima2026!"),
        ("Twoje hasło to Zima2026!", "Zima2026!"),
        ("kod PIN: 4711#", "4711#"),
    ],
)
def test_a_secret_is_found(text, secret):
    assert [text[start:end] for start, end in find_sensitive(text, "secret")] == [secret]


def test_the_usual_mailboxes_are_known():
    names = ["Wysłane", "Elementy wysłane", "Kosz", "Szkice", "Wersje robocze", "Spam", "Archiwum"]
    roles = [role_by_name(name, "/") for name in names]
    assert roles == ["sent", "sent", "trash", "drafts", "drafts", "junk", "archive"]


@pytest.mark.django_db
def test_a_letter_in_a_related_language_is_not_answered_in_polish(inbox):
    serbian = "Poštovani, molim vas da pošaljete katalog na adresu do petka. Od koga i po kojoj ceni je lampa? Hvala!"
    assert detect_language(serbian) != "pl"
    message = make_message(inbox, text=serbian, language="", sender_name="Ana Petrović")
    identity: Identity = inbox.account.identities.get()
    reply = compose_reply(
        [message], "thank her for the message", read_policy("tone: formal"), identity
    )
    assert reply.body.startswith("Dear Ana Petrović,")
