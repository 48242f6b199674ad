"""Cards of other programs, changed in place: what was not changed reads as it did."""

from inbox.formats.card_editing import CardEditor
from inbox.formats.vcard import read_cards
from tests.cases import in_one_test

NOTE = "=C3=9C" * 30
OLD = (
    "BEGIN:VCARD\r\nVERSION:2.1\r\nN:Byron;Ada\r\nFN:Ada\r\n"
    f"NOTE;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:{NOTE}=\r\n{NOTE}=0D=0A=\r\n end\r\n"
    f"X-PLACE;QUOTED-PRINTABLE:{'a' * 70}=0A=0A=0Ab\r\nEND:VCARD\r\n"
).encode()


def test_quoted_printable_lines_are_folded_as_such():
    card = CardEditor(OLD)
    card.set_text("TITLE", "Countess")
    raw = card.to_bytes()
    [before], [after] = read_cards(OLD), read_cards(raw)
    assert after.title == "Countess"
    assert (after.note, after.others) == (before.note, before.others)
    assert after.note == f"{'Ü' * 60}\n end"
    assert max(map(len, raw.split(b"\r\n"))) <= 75
    # Written again, it is the same.
    assert CardEditor(raw).to_bytes() == raw


@in_one_test("line_end", ["\r\r\n", "\r\n", "\n", "\r"])
def test_lines_end_as_the_program_that_wrote_them_has_it(line_end):
    lines = ["BEGIN:VCARD", "VERSION:3.0", "FN:Ada", "N:;Ada;;;", "PHOTO;ENCODING=b:AAAA", " BBBB"]
    raw = line_end.join([*lines, "NOTE:one", "  two", "END:VCARD", ""]).encode()
    card = CardEditor(raw)
    card.set_text("TITLE", "Countess")
    for each, title in ((raw, ""), (card.to_bytes(), "Countess")):
        [found] = read_cards(each)
        assert (found.title, found.note) == (title, "one two")
        assert [it.value for it in found.others] == ["AAAABBBB"]
