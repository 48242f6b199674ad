"""The learned classifier by itself: what it counts, what it learns, and how sure it says it is."""

import json
import random

import pytest

from inbox.classify import Facts, MessageFacts, judge
from inbox.learning.calibration import (
    Bin,
    bins_of,
    expected_error,
    fit_curve,
    fit_shares,
    shares,
)
from inbox.learning.complement import complement_weights
from inbox.learning.features import (
    MOST,
    MOST_COUNTED,
    counted_words_of,
    features_of,
    words_of,
)
from inbox.learning.linear import MOST_WEIGHTS, Example, Scorer, train
from inbox.learning.training import (
    FORMAT,
    MOST_OF_A_SENDER,
    SURE,
    Classifier,
    Decision,
    learn,
)
from inbox.learning.weighing import rarity_of, weigh

GOODS = ("watch", "pill", "loan", "casino", "prize", "voucher", "miracle", "discount")
WORK = ("report", "contract", "schedule", "invoice", "meeting", "draft", "budget", "project")


def decisions(count: int, seed: int = 1) -> list[Decision]:
    """Decisions of as many senders, half of each class, with words that both classes have."""
    chance = random.Random(seed)
    made = []
    for at in range(count):
        label, words = ("unwanted", GOODS) if at % 2 else ("wanted", WORK)
        text = " ".join(chance.choices(words, k=4) + chance.choices(("the", "you", "for"), k=6))
        made.append(Decision(words_of("", text), label, f"house{at}.example"))
    return made


def facts(**message) -> Facts:
    return Facts(
        title="Your offer", content="See https://shop.example/now", sender_email="ada@shop.example",
        message=MessageFacts(**message),
    )  # fmt: skip


def names(made: Facts) -> set[str]:
    return set(features_of(made, judge(made)))


def test_a_sender_counts_where_a_server_says_that_it_is_true():
    proven = {"dkim": "pass", "dkim.header.d": "shop.example"}
    assert "d/shop.example" in names(facts(authentication_results=proven))
    assert "d/shop.example" not in names(facts())
    other = {"dkim": "pass", "dkim.header.d": "evil.example"}
    assert "d/shop.example" not in names(facts(authentication_results=other))


def test_words_links_headers_and_signs_are_counted_and_what_came_since_is_not():
    found = names(facts(headers={"list-unsubscribe": "<mailto:no>"}, received=40, answered=True))
    assert {"s/offer", "w/see", "u/shop.example", "h/list-unsubscribe", "r/bulk_headers"} <= found
    assert names(facts(received=40, answered=True)) == names(facts())


def test_a_huge_message_has_no_more_features_than_any():
    text = " ".join(f"word{n}" for n in range(100_000))
    assert len(features_of(Facts(content=text), judge(Facts(content=text)))) <= MOST
    assert len(words_of(text, text)) <= MOST


def test_it_tells_apart_what_people_told_apart_and_says_why():
    learned = learn(decisions(120))
    assert learned is not None
    classifier, worth = learned
    label, likely = classifier.best(words_of("", "a miracle pill and a prize for you"))
    assert (label, likely > 0.9) == ("unwanted", True)
    assert classifier.best(words_of("", "the draft of the contract"))[0] == "wanted"
    said = dict(classifier.heaviest(words_of("", "a miracle pill"), "unwanted"))
    assert said["w/pill"] > 0 or said["w/miracle"] > 0
    against = dict(classifier.heaviest(words_of("", "a miracle pill"), "wanted"))
    assert against["w/pill"] == -said["w/pill"]
    assert worth.accuracy > 0.95
    assert worth.measured_on == 120
    assert worth.calibration_error < 0.1


def test_what_no_word_speaks_for_is_not_said_surely():
    classifier, _ = learn(decisions(120)) or pytest.fail("too few")
    assert classifier.best(words_of("", "Grüße aus Köln"))[1] < 0.9


def test_the_same_decisions_teach_the_same_and_a_row_keeps_it():
    one, other = learn(decisions(60)), learn(decisions(60))
    assert one is not None
    assert one == other
    stored = json.loads(json.dumps(one[0].as_json()))
    again, text = Classifier.from_json(stored), words_of("", "the casino voucher")
    assert again.best(text)[0] == one[0].best(text)[0]
    assert again.best(text)[1] == pytest.approx(one[0].best(text)[1], abs=0.01)


def test_too_few_decisions_or_one_class_teach_nothing():
    assert learn([]) is None
    assert learn(decisions(8)) is None
    assert learn([one for one in decisions(100) if one.label == "wanted"]) is None


def test_one_sender_cannot_teach_more_than_its_share():
    flood = [Decision(words_of("", "the project report"), "unwanted", "evil.example")] * 2_000
    learned = learn([*decisions(120), *flood])
    assert learned is not None
    assert learned[1].trained_on == 120 + MOST_OF_A_SENDER
    # Mail that shares no more than these words with the flood is not judged surely by it.
    label, likely = learned[0].best(words_of("", "the budget for the contract and the draft"))
    assert (label, likely > 0.9) != ("unwanted", True)


def test_three_classes_share_what_is_likely():
    third = [
        Decision(words_of("", f"weekly digest issue {n}"), "aside", f"n{n}.example")
        for n in range(20)
    ]
    classifier, _ = learn([*decisions(60), *third]) or pytest.fail("too few")
    found = classifier.probabilities(words_of("", "our weekly digest"))
    assert sum(found.values()) == pytest.approx(1)
    assert max(found, key=lambda label: found[label]) == "aside"


def test_training_is_bounded_in_weights():
    examples = [
        Example([f"w/{n}{m % 9000}" for m in range(n, n + 900)], "a" if n % 2 else "b")
        for n in range(40)
    ]
    scorer = train(examples, ("a", "b"))["a"]
    assert len(scorer.as_json()["weights"]) <= MOST_WEIGHTS
    assert Scorer({}, 0.5).score(["w/none"]) == 0.5


def test_a_curve_makes_scores_as_likely_as_they_are_right():
    chance = random.Random(3)
    scores = [chance.gauss(0, 3) for _ in range(2_000)]
    outcomes = [chance.random() < 1 / (1 + 2.718 ** -(0.5 * score - 0.4)) for score in scores]
    curve = fit_curve(scores, outcomes)
    assert curve.slope == pytest.approx(0.5, abs=0.1)
    assert curve.shift == pytest.approx(-0.4, abs=0.15)
    assert expected_error(bins_of([curve.of(score) for score in scores], outcomes)) < 0.04
    assert fit_curve([1.0, 2.0], [True, True]).of(0.0) == 0.5


def test_bins_say_how_sure_and_how_right():
    bins = bins_of([0.95, 0.91, 0.55, 1.0], [True, False, True, True])
    assert bins == [
        Bin(1, 0.55, 1.0),
        Bin(3, pytest.approx(0.9533, abs=1e-3), pytest.approx(2 / 3)),
    ]
    assert expected_error([Bin(2, 0.9, 0.5), Bin(2, 0.6, 0.6)]) == pytest.approx(0.2)


def test_it_is_sure_lower_only_where_enough_was_held_back_to_tell():
    few, many = learn(decisions(200)), learn(decisions(2_700))
    assert few is not None
    assert many is not None
    assert few[0].sure == {"unwanted": SURE, "wanted": SURE}
    assert 0.65 <= many[0].sure["unwanted"] < SURE


# -- features weighed by family and rarity ---------------------------------------------------------
TOPICS = {
    "boats": ("harbour", "mooring", "sails", "anchor", "rudder"),
    "roses": ("garden", "pruning", "petals", "thorns", "compost"),
    "bread": ("flour", "baking", "crust", "leaven", "ovens"),
}


def filings(count: int, seed: int = 1, *, size: int = 40) -> list[Decision]:
    """Filings of three kinds: two words of the kind among many that all have, long and short."""
    chance = random.Random(seed)
    common = [f"word{n}" for n in range(60)]
    made = []
    for at in range(count):
        kind = sorted(TOPICS)[at % 3]
        text = chance.choices(TOPICS[kind], k=2) + chance.choices(common, k=chance.randint(3, size))
        chance.shuffle(text)
        made.append(Decision(counted_words_of("", " ".join(text)), kind, f"house{at}.example"))
    return made


def test_words_and_letters_are_each_of_length_one_and_rare_ones_are_heavier():
    texts = [counted_words_of("", text) for text in ("the boat the", "the rose", "the harbour")]
    values = weigh(texts[0], rarity_of(texts))
    for is_letters in (True, False):
        family = [value for name, value in values.items() if name.startswith("c/") == is_letters]
        assert sum(value * value for value in family) == pytest.approx(1)
    assert weigh(["w/the", "w/boat"], rarity_of(texts))["w/boat"] > 0.8
    # What nobody knows says nothing, and makes nothing else lighter.
    assert weigh([*texts[0], "w/unheard", "c/unhe"], rarity_of(texts)) == values
    assert weigh([], {}) == {}


def test_words_are_counted_as_often_as_they_stand_there_and_no_more_than_bounded():
    found = counted_words_of("Sails", "sails and sails")
    assert (found.count("w/sails"), found.count("s/sails"), found.count("c/ sai")) == (3, 1, 4)
    text = " ".join(f"ab{n}" for n in range(100_000))
    assert len(counted_words_of(text, text)) <= MOST_COUNTED


def test_weighed_it_tells_kinds_apart_among_many_common_words():
    classifier, worth = learn(filings(90), weighs=True) or pytest.fail("too few")
    asked = filings(300, seed=2)
    right = sum(classifier.best(one.features)[0] == one.label for one in asked)
    assert right > 0.9 * len(asked)
    assert (worth.trained_on, worth.measured_on) == (90, 90)
    assert worth.accuracy > 0.8


def test_weighed_it_says_by_which_words_and_the_same_filings_teach_the_same():
    one, other = learn(filings(60), weighs=True), learn(filings(60), weighs=True)
    assert one is not None
    assert one == other
    text = counted_words_of("", "the mooring of the harbour")
    heaviest = dict(one[0].heaviest(text, "boats"))
    assert heaviest["w/harbour"] > 0
    assert not any(name.startswith("c/") for name in heaviest)
    assert {name for name, _ in one[0].telling(3)["roses"]} <= {
        f"w/{word}" for words in TOPICS.values() for word in words
    }


def test_a_word_speaks_for_the_class_outside_of_which_it_is_seldom():
    texts = [{"oar": 1.0, "the": 1.0}, {"yeast": 1.0, "the": 1.0}, {"compost": 1.0, "the": 1.0}]
    found = complement_weights(texts, ["boats", "bread", "roses"], ["boats", "bread", "roses"])
    assert found["boats"].keys() == {"oar"}
    assert found["boats"]["oar"] > 0
    assert found["bread"].keys() == {"yeast"}


def test_of_a_small_class_its_words_say_as_much_as_those_of_a_large_one():
    texts = [{"oar": 1.0}] * 9 + [{"yeast": 1.0}] * 3 + [{"compost": 1.0}] * 6
    labels_of = ["boats"] * 9 + ["bread"] * 3 + ["roses"] * 6
    found = complement_weights(texts, labels_of, ["boats", "bread", "roses"])
    words = {"boats": "oar", "bread": "yeast", "roses": "compost"}
    assert all(found[label][word] > 1 for label, word in words.items())


def test_shares_are_as_sure_as_the_right_answer_is_often():
    close, far = {"boats": 1.0, "bread": 0.0, "roses": 0.0}, {"boats": 9.0, "bread": 0.0}
    of_close = [(close, "boats")] * 8 + [(close, "bread"), (close, "roses")]
    assert shares(close, fit_shares(of_close))["boats"] == pytest.approx(0.8, abs=0.01)
    assert sum(shares(far, 1000.0).values()) == pytest.approx(1.0)
    assert fit_shares([]) == 1.0


def test_weighed_it_is_as_sure_as_it_is_right():
    hard = [
        Decision(
            counted_words_of("", f"the of with a {chance.choice(TOPICS[label])}"), label, f"{at}"
        )
        for chance in [random.Random(7)]
        for at in range(180)
        for label in [chance.choice(sorted(TOPICS))]
    ]
    mistaken = [
        Decision(one.features, "bread" if at % 4 == 0 else one.label, one.sender)
        for at, one in enumerate(hard)
    ]
    classifier, worth = learn(mistaken, weighs=True) or pytest.fail("too few")
    assert classifier.has_shares
    assert worth.calibration_error < 0.1


def test_two_kinds_need_one_scorer_and_speak_against_each_other():
    two = [one for one in filings(90) if one.label != "bread"]
    classifier, _ = learn(two, weighs=True) or pytest.fail("too few")
    text = counted_words_of("", "compost for the garden")
    assert classifier.best(text)[0] == "roses"
    against, said = (dict(classifier.heaviest(text, label)) for label in ("boats", "roses"))
    assert against["w/garden"] == -said["w/garden"] < 0


def test_a_row_keeps_what_is_weighed_and_rows_of_before_are_read():
    classifier, _ = learn(filings(90), weighs=True) or pytest.fail("too few")
    stored = json.loads(json.dumps(classifier.as_json()))
    again, text = Classifier.from_json(stored), counted_words_of("", "baking with leaven")
    assert again.best(text)[0] == "bread"
    assert again.best(text)[1] == pytest.approx(classifier.best(text)[1], abs=0.01)
    unweighed, _ = learn(decisions(60)) or pytest.fail("too few")
    before = json.loads(json.dumps(unweighed.as_json()))
    del before["format"], before["rarity"]
    old, pills = Classifier.from_json(before), words_of("", "a miracle pill")
    assert old.best(pills) == pytest.approx(unweighed.best(pills), abs=0.01)
    assert again.has_shares
    assert not Classifier.from_json({n: v for n, v in stored.items() if n != "shares"}).has_shares
    with pytest.raises(ValueError, match="newer release"):
        Classifier.from_json(stored | {"format": FORMAT + 1})
