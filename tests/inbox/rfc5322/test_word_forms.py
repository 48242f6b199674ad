"""Other forms of a word: without marks, spelled out, by its stem, and as parts of a compound."""

from inbox.rfc5322.text.folds import folded, spelled_out
from inbox.rfc5322.text.search_words import search_words
from inbox.rfc5322.text.word_forms import extra_words, forms_of
from tests.cases import in_one_test


@in_one_test(
    ("word", "without", "spelled"),
    [
        ("Straße", "strasse", "strasse"),
        ("Müller", "muller", "mueller"),
        ("ﬁnal", "final", "final"),
        ("Ærø", "aero", "aeroe"),
        ("Łódź", "lodz", "lodz"),
        ("naïve", "naive", "naive"),
        ("plain", "plain", "plain"),
    ],
)
def test_marks_and_ligatures_are_left_out(word, without, spelled):
    assert (folded(word), spelled_out(word)) == (without, spelled)


@in_one_test(
    ("text", "language", "typed"),
    [
        ("Die Rechnungen liegen bei.", "de", "Rechnung"),
        ("Die Rechnung liegt bei.", "de", "Rechnungen"),
        ("Viele Häuser", "de", "haus"),
        ("Ihre Rechnungsnummer fehlt.", "de", "Rechnung"),
        ("Ihre Rechnungsnummer fehlt.", "de", "nummer"),
        ("Der Liefertermin steht.", "de", "Termin"),
        ("Les factures sont jointes.", "fr", "facture"),
        ("De rekeningen", "nl", "rekening"),
        ("Herr Müller", "", "Mueller"),
        ("Herr Mueller", "", "Müller"),
        ("Zum Gruß", "de", "gruss"),
        ("numéro", "fr", "numero"),
    ],
)
def test_a_word_is_found_in_its_other_forms(text, language, typed):
    there = {word.lower() for word in text.replace(".", "").split()}
    there |= set(extra_words(text, language))
    assert there & {typed.lower(), *forms_of(typed)}


def test_a_text_in_english_has_nothing_beside_it():
    assert extra_words("The invoices are attached.", "en") == []
    assert search_words("The invoices", ["offer-june.pdf"], "en") == "offer-june.pdf offer june pdf"


def test_what_stands_beside_a_long_text_is_bounded():
    text = " ".join(
        f"ähre{chr(97 + i % 26)}{chr(97 + i // 26 % 26)}{chr(97 + i // 676)}" for i in range(9000)
    )
    assert len(extra_words(text, "de")) < 4000
