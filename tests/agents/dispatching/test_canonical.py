"""JSON as receipts have it: one spelling for hashes, short, and without tokens."""

import hashlib
import json
import math

import pytest

from agents.dispatching.canonical import CallArguments, by_hash, canonical, clean, digest, shorten


def test_the_same_value_is_always_spelt_alike():
    assert canonical({"b": [1.0, 2.5], "a": "ü"}) == '{"a":"ü","b":[1,2.5]}'
    assert canonical({"a": (1, {"c": 47.0})}) == canonical({"a": [1, {"c": 47}]})


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_json_has_no_number_for_is_written_as_text(value):
    assert json.loads(canonical([value])) == [str(value)]
    assert shorten(value) == str(value)


def test_a_text_of_two_hundred_characters_stays_and_one_more_goes_by_hash():
    assert shorten("x" * 200) == "x" * 200
    long = "ü" * 201
    assert shorten(long) == {"sha256": hashlib.sha256(long.encode()).hexdigest(), "length": 201}


def test_the_whole_goes_by_hash_where_it_is_longer_than_four_thousand_characters():
    fits = ["x" * 197] * 20
    assert len(canonical(fits)) == 4001
    assert shorten(fits) == by_hash(canonical(fits))
    assert shorten(fits[:-1]) == fits[:-1]
    assert shorten([*fits[:-1], "x" * 196]) == [*fits[:-1], "x" * 196]


def test_long_names_go_by_hash_and_deep_values_are_cut():
    name = "n" * 201
    assert shorten({name: 1}) == {f"sha256:{digest(name)}": 1}
    deep = []
    for _ in range(150):
        deep = [deep]
    cut, depth = shorten(deep), 0
    while isinstance(cut, list):
        cut, depth = cut[0], depth + 1
    assert (cut, depth) == ("…", 101)


@pytest.mark.parametrize("place", ["{}", "Bearer {}", "({})"])
def test_a_token_is_never_kept_wherever_it_stands(place):
    token = "chy_" + "a1-_" * 6
    assert shorten({"key": place.format(token), token: [token]}) == {
        "key": place.format("chy_…"), "chy_…": ["chy_…"],
    }  # fmt: skip
    assert shorten("chy_short") == "chy_short"


def test_no_half_of_a_character_and_no_nul_is_kept():
    assert clean("a\0b") == "a␀b"
    assert clean("a\ud800ü") == "a?ü"
    assert digest("\ud800") == digest("\ud800") != digest("")


def test_arguments_are_recorded_short_with_the_hash_of_the_whole():
    arguments = {"body": "x" * 5000, "to": ["ada@customer.example"]}
    kept = CallArguments.of(arguments)
    assert kept.sha256 == digest(canonical(arguments))
    assert kept.short == {"body": by_hash("x" * 5000), "to": ["ada@customer.example"]}
    assert CallArguments.of({"to": "x"}).short == {"to": "x"}
    assert CallArguments.of({"to": ["x" * 190] * 40}).short == by_hash(
        canonical({"to": ["x" * 190] * 40})
    )
