"""A short run of `python -m tests.faults planted`: what is planted leaves in no way."""

import os
import random
import time
from collections import Counter

import pytest

from tests.cases import made_up
from tests.faults.planted_items import LEAST, NAME, PLANTED, WAYS, Attempts, deal, run_planted
from tests.faults.test_short_run import POSTGRESQL, run_faults


def test_every_way_is_tried_thousands_of_times_and_several_on_each():
    dealt = [ways for ways, _ in zip(deal(WAYS, random.Random(3)), range(PLANTED), strict=False)]
    tried = Counter(way for ways in dealt for way in ways)
    assert set(tried) == set(WAYS)
    assert min(tried.values()) > 2000
    assert min(len(set(ways)) for ways in dealt) > 2


def test_every_attempt_there_is_is_among_the_ways():
    public = {name for name in vars(Attempts) if not name.startswith("_")}
    assert public - {"take", "broken"} == set(WAYS)


@pytest.mark.django_db(transaction=True)
def test_none_of_a_few_leaves(built):
    # Of twelve each way is tried twice, or more.
    seed, number = os.urandom(4).hex(), made_up(48)
    tally = run_planted(built, range(number), seed, time.monotonic() + 560)
    assert (tally.name, tally.runs, tally.broken) == (NAME, number, []), seed
    assert tally.notes[LEAST] > 1


@pytest.mark.services
def test_nor_on_postgresql():
    said = run_faults("planted", 20, DATABASE_URL=POSTGRESQL, FAULTS_SEED=os.urandom(4).hex())
    assert f"{NAME}: 20 runs" in said
    assert "0 broken" in said
