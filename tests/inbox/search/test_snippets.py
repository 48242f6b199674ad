"""The passage that is shown of a hit is the one in which the index has it."""

import pytest

from inbox.search.snippets import LONGEST_SNIPPET, snippet
from inbox.search.words import parse_query
from tests.cases import in_one_test

LONG = (
    "Nothing here. " * 100 + "The lamps were delivered on Friday with oil. " + "More text. " * 100
)


def test_a_snippet_shows_the_hit_in_its_context():
    shown = snippet(parse_query("lamp"), LONG, [])
    assert "The lamps were delivered on Friday" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) <= LONGEST_SNIPPET


def test_a_snippet_prefers_where_most_words_are():
    text = "lamp " + "x " * 400 + "the oil for the lamp" + " y" * 400
    assert "the oil for the lamp" in snippet(parse_query("lamp oil"), text, [])


def test_other_endings_of_a_word_are_hits():
    assert "delivered" in snippet(parse_query("delivering"), LONG, [])


def test_a_hit_in_the_middle_of_a_word_is_none():
    assert snippet(parse_query("ear"), "We hear. " * 60 + "An ear.", []).startswith("…")


@pytest.mark.parametrize(
    ("label", "value"), [("Subject", "The zeppelin"), ("Attachment", "zeppelin-plan.pdf")]
)
def test_a_hit_elsewhere_is_shown_with_its_name(label, value):
    shown = snippet(parse_query("zeppelin"), "The text.", [("From", "Ada"), (label, value)])
    assert shown == f"{label}: {value} · The text."


def test_a_hit_in_an_unspaced_script_is_shown():
    text = "挨拶。" * 200 + "会議の資料を送ります。" + "以上。" * 200
    assert "会議の資料" in snippet(parse_query("会議"), text, [])


def test_without_a_hit_the_beginning_is_shown():
    assert snippet(parse_query("zeppelin"), LONG, []).startswith("Nothing here.")
    assert snippet(parse_query("!"), "Short.", []) == "Short."


def test_a_snippet_is_one_line_and_bounded_whatever_the_text():
    for text in ("a\n\n" * 1000, "x" * 100_000, "lamp" * 100_000, ""):
        shown = snippet(parse_query("lamp x a"), text, [("Subject", "s" * 9999)])
        assert len(shown) <= LONGEST_SNIPPET
        assert "\n" not in shown


@in_one_test(
    ("query", "passage", "language"),
    [
        ("mueller", "Das hat Frau Müller geschrieben.", "de"),
        ("Müller", "Das hat Frau Mueller geschrieben.", "de"),
        ("muller", "DAS HAT FRAU MÜLLER GESCHRIEBEN.", ""),
        ("strasse", "Wir wohnen in der Straße.", "de"),
        ("Haus", "Es stehen zwei Häuser dort.", "de"),
        ("Rechnung", "Es gibt eine Schlussrechnung dazu.", "de"),
        ("naïve", "A naive answer.", "en"),
        ("resume", "Son résumé est joint.", "fr"),
        ("factures", "Une facture impayée.", "fr"),
        ("contratos", "El contrato firmado.", "es"),
        ("Κυριακή", "Την κυριακη το πρωί.", "el"),
        ("договоры", "Подписали договор вчера.", "ru"),
        ("oeuvre", "Une œuvre complète.", "fr"),
    ],
)
def test_the_passage_is_found_in_other_forms_of_a_word(query, passage, language):
    before = "Nichts davon. " * 60
    text = before + passage + " Ende." * 60
    assert passage.split()[-1].strip(".") in snippet(parse_query(query), text, [], language)


def test_a_stem_of_another_language_is_no_hit():
    """`haben` has the German stem `hab`, which English words begin with."""
    text = "Habits. " + "Nothing here. " * 60 + "Wir haben es. " + "Nothing here. " * 60
    assert "Wir haben es" in snippet(parse_query("haben"), text, [], "de")


def test_letters_whose_lower_case_is_longer_move_no_hit():
    text = "\u0130" * 3000 + " the lamp is here " + "x " * 300
    assert "the lamp is here" in snippet(parse_query("lamp"), text, [])


def test_a_stem_that_begins_another_finds_what_both_find():
    """`patch` is a beginning of `patches`, and `o'ne` none that letters alone go on from."""
    text = "x " * 300 + "patchwork, patches and a patch" + " x" * 300
    alone = snippet(parse_query("patch"), text, [])
    assert snippet(parse_query("patch patches patching"), text, []) == alone
    assert "patchwork, patches and a patch" in alone


def test_of_many_hits_the_passage_with_the_most_different_words_is_shown():
    text = "lamp lamp lamp " * 40 + "x " * 200 + "lamp and oil " + "x " * 200 + "oil " * 40
    assert "lamp and oil" in snippet(parse_query("lamp oil"), text, [])


def test_shorter_texts_are_asked_for_only_where_the_text_has_no_hit():
    asked = []

    def labelled():
        asked.append(True)
        yield "Subject", "Of lamps"

    assert snippet(parse_query("lamp"), "The lamp.", labelled()) == "The lamp."
    assert not asked
    assert snippet(parse_query("lamp"), "The oil.", labelled()) == "Subject: Of lamps · The oil."
