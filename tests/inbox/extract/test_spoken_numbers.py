"""Large numbers in words, in every language that counts."""

import time

import pytest

from inbox.extract.readers.spoken_numbers import find_spoken
from tests.cases import in_one_test


@in_one_test(
    ("text", "value"),
    [
        ("not under six hundred and fifteen thousand pounds", 615_000),
        ("eighteen thousand six hundred", 18_600),
        ("two million three hundred thousand and one", 2_300_001),
        ("fifteen thousand two hundred and thirty-four", 15_234),
        ("sechshundertf\u00fcnfzehntausend Euro", 615_000),
        ("Achtzehntausendsechshundert", 18_600),
        ("einundzwanzigtausend", 21_000),
        ("six cent quinze mille euros", 615_000),
        ("dix-huit mille six cents", 18_600),
        ("seiscientos quince mil", 615_000),
        ("treinta y dos mil cien", 32_100),
        ("seicentoquindicimila", 615_000),
        ("ventunomila", 21_000),
        ("zeshonderdvijftienduizend", 615_000),
        ("sze\u015b\u0107set pi\u0119tna\u015bcie tysi\u0119cy", 615_000),
        ("seiscentos e quinze mil", 615_000),
        ("615 thousand", 615_000),
        ("18.6k", 18_600),
        ("1,2 Mio", 1_200_000),
        ("due fifteen thousand two hundred", 15_200),
    ],
)
def test_a_number_is_read_in_words(text, value):
    found = list(find_spoken(text))
    assert value in [one.value for one in found]
    assert all(text[one.start : one.end] in text for one in found)


@in_one_test(
    ("text", "found"),
    [
        ("about a hundred people and six dogs", []),
        ("nine hundred and ninety-nine", []),
        ("a thousand thanks", []),
        ("the thousandth of forty", []),
        ("fivefold hundertmal", []),
    ],
)
def test_what_is_no_large_number_says_none(text, found):
    assert [one.value for one in find_spoken(text)] == found


@pytest.mark.parametrize("word", ["hundred ", "hundert", "veinti", "a" * 60, "12 "])
def test_an_endless_text_is_read_in_linear_time(word):
    def cost(times):
        start = time.process_time()
        list(find_spoken(word * times))
        return time.process_time() - start

    cost(200)
    small, large = (min(cost(times) for _ in range(3)) for times in (2_000, 8_000))
    assert large < 12 * small + 0.01
