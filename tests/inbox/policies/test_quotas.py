"""Quotas as a policy writes them, and which of several count."""

import pytest

from inbox.policies import PolicyError, read_policy
from inbox.policies.quotas import DEFAULTS, Quota, in_force, read_span
from tests.cases import in_one_test

_WRONG = {
    "what: mails, most: 1, within: 5m": "what: must be one of 'proposals', 'deletions', 'reads'",
    "what: reads, per: account, most: 1, within: 5m": "per: reads are counted per agent",
    "what: deletions, per: recipient, most: 1, within: 5m": "per: deletions are counted per agent",
    "what: reads, most: -1, within: 5m": "most: must be greater than or equal to 0",
    "what: reads, most: 1000001, within: 5m": "most: must be less than or equal to 1000000",
    "what: reads, most: lots, within: 5m": "most: must be a number from 0 on, or any",
    "what: reads, most: true, within: 5m": "most: must be an integer",
    "what: reads, within: 5m": "most",
    "what: reads, most: 1": "within",
    "what: reads, most: 1, within: 5": "within: must be a text",
    "what: reads, most: 1, within: 59s": "within: must be a time from 60s to 30d",
    "what: reads, most: 1, within: 31d": "within: must be a time from 60s to 30d",
    "what: reads, most: 1, within: 5 m": "within: must be a time from 60s to 30d",
    "what: reads, most: 1, within: 05m": "within: must be a time from 60s to 30d",
    "what: reads, most: 1, within: 5m, for: ada": "for: unknown field",
}


@in_one_test("written", _WRONG)
def test_what_cannot_be_a_quota_is_named_by_its_field(written):
    with pytest.raises(PolicyError) as refused:
        read_policy(f"quotas:\n  - {{{written}}}")
    assert refused.value.line == 2
    assert _WRONG[written] in str(refused.value)
    assert "quotas/0" in str(refused.value)


def test_times_are_read_in_seconds():
    spans = {"60s": 60, "5m": 300, "24h": 86_400, "1d": 86_400, "30d": 2_592_000}
    assert {span: read_span(span) for span in spans} == spans


def test_of_two_alike_the_lower_counts_and_what_is_named_takes_the_place_of_ours():
    given = read_policy(
        "quotas:\n"
        "  - {what: reads, most: 7, within: 1d}\n"
        "  - {what: reads, most: 5, within: 24h}\n"
        "  - {what: reads, most: 9, within: 60s}\n"
        "  - {what: proposals, most: any, within: 5m}\n"
    ).fields.quotas
    ours = Quota(what="deletions", most=5, within="10m")
    counting = {(one.what, one.within, one.most) for one in in_force(given, (*DEFAULTS, ours))}
    assert counting == {("reads", "24h", 5), ("reads", "60s", 9), ("deletions", "10m", 5)}
    assert set(in_force([])) == set(DEFAULTS)
