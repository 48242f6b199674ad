"""A sample of silent items: drawn evenly, judged once each, counted with its interval."""

from collections import Counter
from datetime import timedelta

import pytest
from django.utils import timezone

from agents.models import Receipt, SampleCheck
from agents.operations.sample_checks import (
    Precision,
    check_activity,
    draw_sample,
)
from inbox.errors import DomainError
from tests import factories
from tests.agents.admin.desk import make_activity

pytestmark = pytest.mark.django_db


def silent(inbox, number=1, **fields):
    at = timezone.now() - timedelta(hours=1)
    values = {"autonomy_tier": 1, **fields}
    return [
        make_activity(factories.make_message(inbox, at=at), "processed", **values)
        for _ in range(number)
    ]


def within(user):
    now = timezone.now()
    return {
        "actor": factories.person_actor(user), "begins": now - timedelta(days=7), "ends": now,
    }  # fmt: skip


def test_only_what_was_silent_or_noted_with_confidence_is_drawn(inbox, reviewer):
    wanted = {one.pk for one in silent(inbox) + silent(inbox, autonomy_tier=2)}
    silent(inbox, autonomy_tier=3)
    silent(inbox, confidence=0.1)
    silent(factories.make_inbox(factories.make_workspace()))
    assert set(draw_sample(**within(reviewer), seed="a")) == wanted


def test_a_seed_draws_the_same_and_another_draws_others(inbox, reviewer):
    silent(inbox, 40)
    first = draw_sample(**within(reviewer), seed="a")
    assert len(set(first)) == 5
    assert draw_sample(**within(reviewer), seed="a") == first
    assert draw_sample(**within(reviewer), seed="b") != first


def test_each_item_is_as_likely_as_any_other(inbox, reviewer):
    made = silent(inbox, 10)
    drawn = Counter(
        key for seed in range(200) for key in draw_sample(**within(reviewer), seed=str(seed))
    )
    assert set(drawn) == {one.pk for one in made}
    # 1,000 draws of ten: about 100 each.
    assert min(drawn.values()) > 70
    assert max(drawn.values()) < 130


def test_a_verdict_is_kept_once_and_leaves_a_receipt_each_time(inbox, reviewer):
    (one,) = silent(inbox)
    actor = factories.person_actor(reviewer)
    check_activity(actor=actor, activity=one, verdict="right")
    check_activity(actor=actor, activity=one, verdict="should_ask")
    assert SampleCheck.objects.get().verdict == "should_ask"
    assert Receipt.objects.filter(tool="check_silent_activity").count() == 2


@pytest.mark.parametrize(("tier", "verdict"), [(1, "perhaps"), (4, "right")])
def test_no_other_verdict_and_no_other_item_is_taken(inbox, reviewer, tier, verdict):
    (one,) = silent(inbox, autonomy_tier=tier)
    with pytest.raises(DomainError):
        check_activity(actor=factories.person_actor(reviewer), activity=one, verdict=verdict)
    assert not SampleCheck.objects.exists()


def test_the_interval_is_wilsons():
    low, high = Precision(right=18, total=20).interval
    assert (round(low, 3), round(high, 3)) == (0.699, 0.972)
    assert Precision(right=5, total=5).interval[1] == pytest.approx(1)
    assert Precision(right=5, total=5).interval[0] == pytest.approx(0.566, abs=0.001)
    assert Precision(0, 0).interval == (0.0, 1.0)
