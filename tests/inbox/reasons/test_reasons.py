"""Reasons are codes with parameters: kept whole, in English as a text, in the reader's words on pages."""

import copy
import pickle

import pytest
from django.db import connection
from django.utils import timezone, translation

from inbox.models import Account, Activity
from inbox.reasons import Reason, ReasonText, own, phrase, quoted, say, together
from inbox.reasons.text import SENTENCES, loads, names_in
from inbox.reasons.words import spoken, worded
from tests.cases import in_one_test

EVERY = [
    say(code, **{name: f"<{name}>" for name in names_in(sentence)})
    for code, sentence in SENTENCES.items()
]


@pytest.fixture(autouse=True)
def german():
    with translation.override("de"):
        yield


def test_each_is_told_in_german_with_what_stands_in_it():
    for text in EVERY:
        code = text.reasons[0].code
        for name in names_in(SENTENCES[code]):
            assert f"<{name}>" in worded(text), code
            assert f"<{name}>" in text, code
        left = [part for part in _parts(SENTENCES[code]) if len(part.strip(' "().:;,“”')) > 2]
        assert not [part for part in left if part in worded(text)], code


def _parts(sentence):
    for name in names_in(sentence):
        sentence = sentence.replace(f"%({name})s", "\0")
    return sentence.split("\0")


def test_each_is_kept_and_read_as_it_was():
    for text in EVERY:
        assert loads(text.dumps()).reasons == text.reasons
        assert loads(text.dumps()) == text
        again = pickle.loads(pickle.dumps(text))
        assert copy.deepcopy(text).reasons == again.reasons == text.reasons


def test_a_text_is_in_english_whatever_the_page_speaks():
    assert say("leaves") == "Anything sent needs approval."
    assert worded(say("leaves")) == "Alles, was gesendet wird, muss freigegeben werden."


def test_a_code_in_a_sentence_is_told_by_its_name():
    text = say("moves", before="needs_review", status="archived")
    assert text == "moves from needs_review to archived"
    assert not [code for code in ("needs", "archived") if code in worded(text)]
    assert spoken("needs_review") in worded(text)


def test_reasons_stand_inside_of_others():
    drift = [
        say("draft_changed", parts=["subject", "text"]),
        say("newer_message", who="a@x.example"),
    ]
    text = say("void", changes=drift)
    assert text == (
        "No longer valid: changed in the draft: subject, text; the thread has a newer message, from a@x.example"
    )
    assert worded(text) == (
        "Hinfällig: im Entwurf geändert: Betreff, Text; "
        "die Unterhaltung hat eine neuere Nachricht, von a@x.example"
    )
    assert worded(loads(text.dumps())) == worded(text)


def test_what_the_rules_saw_is_told_sign_by_sign():
    signs = [
        say("sign.angry", it="still; nothing"), say("sign.has_start", it="2026-03-03 09:00"),
        say("sign.question_words"),
    ]  # fmt: skip
    text = say("saw", kind=say("kind.complaint"), signs=signs)
    assert worded(text) == (
        "Eine Beschwerde: Beschwerde („still; nothing“); beginnt um 2026-03-03 09:00; stellt eine Frage."
    )


def test_texts_follow_each_other():
    text = together(say("leaves"), "Ask your bank.", "", say("agents_propose"))
    assert text == (
        "Anything sent needs approval. Ask your bank. Agents propose this; people decide."
    )
    assert "Ask your bank." in worded(text)
    assert worded(text).endswith(worded(say("agents_propose")))


@in_one_test(
    "words",
    ["Ask.", "100 % (sicher) %(what)s", "It reaches", '[{"code": "leaves"}]', "“”\0\n\u202e", " "],
)
def test_what_somebody_wrote_stays_as_it_is(words):
    assert own(words) == worded(own(words)) == loads(own(words).dumps()) == worded(words) == words


def test_what_stands_in_a_sentence_is_not_read_as_one():
    text = say("reaches", people=["%(count)s", "%", "{people}"])
    assert text == "It reaches %(count)s, %, {people}"


@pytest.mark.parametrize(
    ("code", "params", "error"),
    [
        ("no_such_reason", {}, KeyError),
        ("reaches", {}, ValueError),
        ("leaves", {"it": 1}, ValueError),
    ],
)
def test_what_the_registry_does_not_have_is_refused(code, params, error):
    with pytest.raises(error):
        say(code, **params)


def test_a_row_whose_code_was_taken_out_is_read_all_the_same():
    text = ReasonText(Reason("no_longer_here", (("it", "x"),)))
    assert worded(loads(text.dumps())) == "no longer here"


def test_rows_keep_codes_and_give_texts(inbox):
    made = Activity.objects.create(
        workspace=inbox.workspace, source="note", source_id="1", created_at=timezone.now(),
        reasoning=say("read_note"), suggested_actions=[say("look_at_webhook"), "Call Ada"],
        option_framing="You could go.", autonomy_tier=3,
    )  # fmt: skip
    found = Activity.objects.get(pk=made.pk)
    assert found.reasoning.reasons == (Reason("read_note"),)
    assert (found.reasoning, worded(found.reasoning)) == ("Read the note", "Die Notiz lesen")
    assert [worded(one) for one in found.suggested_actions] == ["Webhook öffnen", "Call Ada"]
    assert found.option_framing == worded(found.option_framing) == "You could go."
    assert Activity.objects.filter(reasoning__icontains="read_note").get() == found
    found.reasoning, found.option_framing = "", None
    found.save()
    found.refresh_from_db()
    assert (found.reasoning, found.option_framing) == ("", None)


def test_a_phrase_is_its_own_code_and_is_kept_and_told_as_any_reason():
    text = phrase("The server refused the sign-in")
    outer = quoted(text, "535 no\0", 100)
    assert (outer, worded(loads(outer.dumps()))) == (
        "The server refused the sign-in 535 no�", "Der Server hat die Anmeldung abgelehnt 535 no�",
    )  # fmt: skip
    with pytest.raises(ValueError, match="takes"):
        phrase("%(host)s rejects our connection", server="x")


def test_what_is_too_long_or_no_database_takes_is_cut_and_mended():
    assert quoted("a\0b" + "x" * 500, "\ud800" * 500, 10) == "a�bxxxxxxx ??????????"


def test_a_failure_of_0_2_0_is_read_as_the_words_that_it_is(inbox):
    Account.objects.filter(pk=inbox.account_id).update(
        sending_problem=phrase("The account is paused.")
    )
    assert worded(Account.objects.get().sending_problem) == "Das Konto ist pausiert."
    with connection.cursor() as cursor:
        cursor.execute("UPDATE inbox_account SET sending_problem = %s", ['["no", "reason"]'])
    assert Account.objects.get().sending_problem == '["no", "reason"]'
