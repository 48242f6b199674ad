"""No stretch of a text ends within a number, an amount, a day or a code."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from inbox.extract.readers.whole import cuts, keep_whole
from tests.cases import in_one_test, made_up

THINGS = [
    # German, English, French, Swiss and Indian numbers and amounts.
    "4.500,00 €", "EUR 4.500,00", "1.234.567", "12,5", "3.000.000,00 Euro", "4,500.00 USD", "$4,500.00", "£12.50",
    "1 234 567,89 €", "1\u202f234,50 €", "12\u00a0500 €", "CHF 1'234.50", "CHF 1’234.50", "Fr. 80.00", "₹1,23,456.78",
    "Rs. 12,34,567", "₹ 45,00,000",
    # Codes and accounts.
    "RE-2026-0412", "RE-2026-118", "2026/0412", "INV_20260412", "PO-77-1180/3", "A4711", "4711-B",
    "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "FR14 2004 1010 0505 0001 3M02 606",
    "CH93 0076 2011 6238 5295 7", "GB29 NWBK 6016 1331 9268 19",
    # Days and times.
    "04.03.2026", "4. 3. 2026", "4.3.", "2026-03-04", "03/04/2026", "4. März 2026", "4 March 2026", "14:30", "14:30:15",
    # Phone numbers.
    "+49 30 901820-12", "+49 (0)30 901820", "044 668 18 00", "01 42 68 53 00", "01.42.68.53.00", "+91 98765 43210",
    "98765 43210", "(030) 123 456", "030/901820", "555-123-4567", "+1 (555) 123-4567",
]  # fmt: skip
AROUND = [("Pay ", " today"), ("(", ")"), ("x: ", ". And"), ("", ""), ("„", "“"), ("am\n", "\nda")]


@in_one_test("thing", THINGS)
def test_what_ends_within_something_reaches_to_its_ends(thing):
    for before, behind in AROUND:
        text, whole = before + thing + behind, (len(before), len(before) + len(thing))
        for place in range(whole[0] + 1, whole[1]):
            found = keep_whole(text, [(0, place), (place, len(text)), (place - 1, place)])
            assert found == [(0, whole[1]), (whole[0], len(text)), whole], (before, place)
            assert cuts(text, 0, place)


@in_one_test("thing", THINGS)
def test_what_ends_beside_something_stays_as_it_is(thing):
    for before, behind in AROUND:
        text, whole = before + thing + behind, (len(before), len(before) + len(thing))
        assert not cuts(text, *whole)


@in_one_test(
    ("text", "marked"),
    [
        ("Mo 01.02.2026 14:00-15:30 Uhr", "01.02.2026"), ("Mo 01.02.2026 14:00-15:30 Uhr", "14:00"),
        ("2026-03-12 14:00", "2026-03-12"), ("Angebot 2026 4500 €", "2026"), ("am 12.3., 14 Uhr", "12.3."),
        ("4.500,00 € 300,00 €", "4.500,00 €"), ("10 – 12 Uhr", "10"), ("in 3 Tagen", "in"), ("Um 9.", "9"),
        ("Nr. 5. Danach", "5"), ("12 Mal", "12"), ("3, 4 und 5", "4"),
    ],
)  # fmt: skip
def test_two_things_beside_each_other_are_two(text, marked):
    start = text.index(marked)
    assert not cuts(text, start, start + len(marked))


def test_digits_without_end_are_not_cut():
    text = "7" * 5000
    assert keep_whole(text, [(2000, 3000), (0, 1)]) == [(0, 5000), (0, 5000)]
    text = "a " + "12.3-" * 1000 + "4 b"
    assert keep_whole(text, [(2000, 3000), (0, 1)]) == [(2, len(text) - 2), (0, 1)]


def test_where_nothing_is_cut_words_stay_as_they_are():
    assert keep_whole("invoice", [(2, 7), (3, 3)]) == [(2, 7), (3, 3)]
    assert keep_whole("", [(0, 0)]) == [(0, 0)]


_PIECES = st.lists(
    st.one_of(
        st.sampled_from(THINGS).map(lambda it: (it, True)),
        st.sampled_from(["over", "am", "und", "Danke.", "…", "(", "größer", "请", "\n\n", "?"]).map(
            lambda it: (it, False)
        ),
    ),
    min_size=1, max_size=12,
)  # fmt: skip


@settings(max_examples=made_up(1200))
@given(_PIECES, st.integers(0, 10**6), st.integers(0, 10**6))
@example([("RE-2026-118", True), ("over", False), ("4.500,00 €", True)], 5, 19)
def test_no_stretch_made_up_ends_within_anything(pieces, one, other):
    # What a comma parts cannot be read as one number.
    text = " ; ".join(piece for piece, _ in pieces)
    start, end = sorted((one % (len(text) + 1), other % (len(text) + 1)))
    (first, last), *_ = keep_whole(text, [(start, end)])
    assert first <= start <= end <= last
    place = 0
    for piece, is_thing in pieces:
        for edge in (first, last) if is_thing and start < end else ():
            assert not place < edge < place + len(piece), (text, text[first:last])
        place += len(piece) + 3


@settings(max_examples=made_up(1200))
@given(
    st.text("0123456789.,:'’-/ \u00a0\u202fA€x\n?", max_size=60),
    st.integers(0, 59),
    st.integers(0, 59),
)
def test_no_stretch_of_any_text_ends_between_two_digits(text, one, other):
    start, end = sorted((min(one, len(text)), min(other, len(text))))
    (first, last), *_ = keep_whole(text, [(start, end)])
    for edge in {first, last} if start < end else ():
        assert not text[max(0, edge - 1) : edge + 1].isdigit() or edge in (0, len(text))
        # Nor beside a mark that parts the digits of one number.
        assert not any(
            len(around) == 3 and around[1] in ".,'’" and around[::2].isdigit()
            for around in (text[max(0, edge - 2) : edge + 1], text[max(0, edge - 1) : edge + 2])
        )
