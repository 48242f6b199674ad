"""Triage by a taxonomy: intents, urgency, sentiment, and taxonomies that cannot be."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

import inbox
from inbox.classify.triage import read_taxonomy, triage
from inbox.errors import DomainError
from inbox.models import Taxonomy
from inbox.operations.activities.understanding import ensure_defaults, save_version
from inbox.rfc5322.parse import parse_message
from tests.cases import in_one_test

DEFAULT = (Path(inbox.__file__).parent / "defaults" / "taxonomy.yaml").read_text("utf-8")


@dataclass
class Mail:
    subject: str = ""
    new_text: str = ""
    from_email: str = "ada@customer.example"
    from_name: str = "Ada"
    list_id: str = ""
    signals: dict[str, str] = field(default_factory=dict)


def read(subject: str, text: str, taxonomy: str = DEFAULT, **fields):
    return triage(Mail(subject, text, **fields), read_taxonomy(taxonomy))


@in_one_test(
    ("subject", "text", "intent", "urgency", "sentiment"),
    [
        ("Shop down", "Our shop is down since nine.", "outage", "high", "neutral"),
        ("Portal", "Das Portal ist seit heute früh nicht erreichbar.", "outage", "high", "neutral"),
        ("障害", "今朝からシステムが停止しています。", "outage", "high", "neutral"),
        ("عطل", "الموقع لا يعمل منذ الصباح", "outage", "high", "neutral"),
        ("Chair", "This is unacceptable. I am furious.", "complaint", "medium", "negative"),
        ("Stuhl", "Das ist eine Frechheit, ich bin empört.", "complaint", "medium", "negative"),
        ("椅子", "対応がひどいです。苦情を申し上げます。", "complaint", "medium", "negative"),
        ("كرسي", "هذا غير مقبول، أنا غاضب", "complaint", "medium", "negative"),
        ("Refund", "I would like my money back.", "refund", "medium", "neutral"),
        ("Lampe", "Ich bitte um Rückerstattung.", "refund", "medium", "neutral"),
        ("返金", "返金をお願いします。", "refund", "medium", "neutral"),
        ("طلب", "أريد استرداد المبلغ", "refund", "medium", "neutral"),
        ("Invoice 7", "Attached is the invoice.", "invoice", "medium", "neutral"),
        ("Rechnung 7", "Anbei die Rechnung.", "invoice", "medium", "neutral"),
        ("Price", "How much is the oak table? A quote please.", "quote", "medium", "neutral"),
        ("Angebot", "Was kostet der Tisch?", "quote", "medium", "neutral"),
        ("見積もり", "見積をお願いします。", "quote", "medium", "neutral"),
        ("عرض سعر", "نرجو إرسال عرض سعر", "quote", "medium", "neutral"),
        ("Meeting", "Shall we meet on Monday?", "meeting", "medium", "neutral"),
        ("打ち合わせ", "来週お会いできますか。", "meeting", "medium", "neutral"),
        ("Table", "The table is wonderful, thank you so much.", "feedback", "medium", "positive"),
        ("Tisch", "Vielen Dank, wir sind begeistert.", "feedback", "medium", "positive"),
        ("Job", "Please find my CV and cover letter.", "job_application", "medium", "neutral"),
        (
            "Application: front desk",
            "I am free to talk on any weekday. My CV is attached.",
            "job_application",
            "medium",
            "neutral",
        ),
        (
            "A thank-you",
            "No problem, only this: Thursdays end at six now.",
            "feedback",
            "medium",
            "positive",
        ),
        (
            "For information: fire alarm",
            "It will ring. No action is needed.",
            "notification",
            "low",
            "neutral",
        ),
        ("Canceled: the harbour office", "Jury service.", "meeting", "medium", "neutral"),
        (
            "Invoice 7",
            "Settle the invoice by transfer to our new account.",
            "payment_change",
            "high",
            "neutral",
        ),
        ("代理店", "販売代理店としてのお取引についてご相談です。", "quote", "medium", "neutral"),
        ("Hm", "The weather was grey.", "general", "medium", "neutral"),
        ("Devis", "Pourriez-vous nous envoyer un devis ?", "quote", "medium", "neutral"),
        ("Factura", "Adjunto la factura.", "invoice", "medium", "neutral"),
    ],
)
def test_intent_urgency_and_sentiment(subject, text, intent, urgency, sentiment):
    found = read(subject, text)
    assert (found.intent, found.urgency, found.sentiment) == (intent, urgency, sentiment)


@in_one_test(
    ("text", "urgency"),
    [
        ("Please call me immediately.", "high"),
        ("This is not urgent.", "low"),
        ("No rush, whenever you have time.", "low"),
        ("Es eilt nicht.", "low"),
        ("Es ist dringend!", "high"),
        ("急ぎではありません。", "low"),
        ("至急お願いします。", "high"),
        ("الأمر ليس عاجلا", "low"),
        ("الأمر عاجل", "high"),
        ("When does the table arrive?", "medium"),
    ],
)
def test_urgency_hears_the_not(text, urgency):
    assert read("", text).urgency == urgency


@in_one_test(
    ("text", "sentiment"),
    [
        ("No complaint, the table is wonderful.", "positive"),
        ("I am not happy with the table.", "negative"),
        ("No problem at all.", "neutral"),
        ("Ich bin nicht zufrieden.", "negative"),
        ("Kein Problem, alles wunderbar.", "positive"),
        ("問題ありません。", "neutral"),
        ("لا مشكلة", "neutral"),
        ("Unfortunately the leg is broken.", "negative"),
    ],
)
def test_sentiment_hears_the_not(text, sentiment):
    assert read("", text).sentiment == sentiment


def test_quoted_history_does_not_decide():
    raw = (
        b"From: ada@customer.example\r\nSubject: Re: Table\r\n\r\nWhat does the table cost?\r\n\r\n"
        b"On Mon, 2 Mar 2026, Karl wrote:\r\n> This is unacceptable! I want a refund immediately.\r\n"
    )
    parsed = parse_message(raw)
    found = read(parsed.subject, parsed.new_text)
    assert (found.intent, found.urgency, found.sentiment) == ("quote", "medium", "neutral")


def test_bulk_mail_is_of_low_urgency():
    found = read("Weekly", "In this issue: oil.", list_id="weekly.example")
    assert (found.intent, found.urgency, found.suggested_route) == ("newsletter", "low", "archive")


def test_no_sign_gives_the_default_with_little_confidence():
    found = read("", "")
    assert (found.intent, found.suggested_route) == ("general", "inbox")
    assert found.confidence < 0.5


def test_more_signs_and_no_rival_make_it_surer():
    one = read("", "Attached is the invoice.")
    two = read("Invoice", "Attached is the invoice for purchase order 7.")
    torn = read("", "Attached is the invoice. I want a refund.")
    assert torn.confidence < one.confidence < two.confidence < 1


OWN = """
intents:
  - name: oil
    route: workshop
    urgency: low
    phrases:
      en: [linseed (oil), "varnish*"]
    patterns: ['OIL-\\d{3}']
  - name: rush
    route: front
    signals: [urgent]
urgency:
  high: {phrases: [the boat sails]}
default: {intent: rest, route: desk}
"""


@in_one_test(
    ("text", "intent", "urgency"),
    [
        ("Do you have linseed?", "oil", "low"),
        ("We varnished it.", "oil", "low"),
        ("The can says oil-123.", "oil", "low"),
        ("Linseed oil please: the boat sails!", "oil", "high"),
        ("Urgent.", "rush", "high"),
        ("Nothing.", "rest", "medium"),
    ],
)
def test_a_taxonomy_of_ones_own_is_honoured(text, intent, urgency):
    found = read("", text, OWN)
    assert (found.intent, found.urgency) == (intent, urgency)


@in_one_test(
    ("source", "words"),
    [
        ("", "intents"),
        ("- a", "mapping"),
        ("intents: [", "line 1"),
        ("intents: []\ndefault: {intent: a, route: b}", "line 1, intents"),
        ("intents:\n  - name: a\n    route: b\n    signals: [urgent]\n", "default"),
        (OWN.replace("signals: [urgent]", "signals: [hurry]"), "line 11, intents/1/signals/0"),
        (OWN.replace("route: front", "rout: front"), "line 10, intents/1/rout"),
        (OWN.replace("'OIL-\\d{3}'", "'(OIL'"), "line 8, intents/0/patterns/0"),
        (OWN.replace("linseed (oil)", "linseed (oil"), "intents/0/phrases/en/0"),
        (OWN.replace("urgency: low", "urgency: soon"), "intents/0/urgency"),
        (OWN.replace("name: rush", "name: oil"), "two intents are called 'oil'"),
        (OWN.replace("    signals: [urgent]\n", ""), "at least one of description"),
        (OWN.replace("name: rush", "name: 3"), "intents/1/name"),
        ("a: &x [1]\nb: *x", "aliases"),
    ],
)
def test_a_taxonomy_that_cannot_be_read_is_refused_by_line_and_field(source, words):
    with pytest.raises(ValueError, match=r"line \d+") as caught:
        read_taxonomy(source)
    assert words in str(caught.value)


def test_a_pattern_that_runs_away_matches_nothing():
    slow = OWN.replace("'OIL-\\d{3}'", "'(a|aa)+$'")
    found = read("", "a" * 5_000 + "!", slow)
    assert found.intent == "rest"


@pytest.mark.django_db
def test_a_new_workspace_has_the_default_taxonomy(workspace):
    ensure_defaults(workspace)
    stored = Taxonomy.objects.get(workspace=workspace)
    assert read("Shop down", "Our shop is down.", stored.source).intent == "outage"


@pytest.mark.django_db
def test_a_taxonomy_that_cannot_be_read_is_not_stored(workspace):
    with pytest.raises(DomainError, match="line 1"):
        save_version(Taxonomy, workspace=workspace, name="Mine", content="intents: []")
    assert not Taxonomy.objects.filter(name="Mine").exists()


OWNERS = """
intents:
  - {name: Rechnungen, route: books, description: "Rechnungen, Mahnungen und Zahlungen"}
  - {name: Returns and Exchanges, route: returns, description: goods that come back to us}
  - {name: human_resources, route: people, description: "staff, salaries, applications"}
  - {name: Network and hardware, route: it, description: "computers, printers and the wireless"}
  - {name: Anything else, route: inbox, description: what is none of these}
default: {intent: Anything else, route: inbox}
"""


@in_one_test(
    ("subject", "text", "intent"),
    [
        ("Your reminder", "The amount was charged twice on my statement.", "Rechnungen"),
        ("Mahnung", "Die Zahlungserinnerung kam nach der Überweisung.", "Rechnungen"),
        ("Relance", "Le paiement a été fait lundi.", "Rechnungen"),
        ("請求書", "支払いについて伺います。", "Rechnungen"),
        ("The lamp", "I am returning it, the colour is not what I saw.", "Returns and Exchanges"),
        ("Lampe", "Ich möchte die Lampe umtauschen.", "Returns and Exchanges"),
        ("Lampada", "Vorrei restituire la lampada.", "Returns and Exchanges"),
        ("Bewerbung", "Anbei mein Lebenslauf.", "human_resources"),
        ("Vacaciones", "¿Cuántos días de vacaciones tengo?", "human_resources"),
        (
            "Third floor",
            "The printers print nothing and the laptop is slow.",
            "Network and hardware",
        ),
        ("Dear all", "The weather was grey.", "Anything else"),
    ],
)
def test_a_kind_is_told_by_its_name_and_description_in_the_languages_of_mail(subject, text, intent):
    assert read(subject, text, OWNERS).intent == intent


def test_whom_a_letter_greets_is_not_what_it_is_about():
    taxonomy = OWNERS.replace("human_resources", "Customer Support")
    text = "Dear Customer Support,\n\nthe invoice has the wrong address."
    assert read("Address", text, taxonomy).intent == "Rechnungen"


@in_one_test(
    ("text", "urgency"),
    [
        ("The label on the box with the oak lamps said urgent in red letters.", "medium"),
        ("In spring the outage of 2019 was the topic of a talk that was well received.", "medium"),
        ("Please send the label of the box with the oak lamps, it is urgent.", "high"),
        ("The label is urgent. We want it without delay for the box.", "high"),
    ],
)
def test_one_word_alone_makes_nothing_urgent(text, urgency):
    assert read("", text).urgency == urgency
