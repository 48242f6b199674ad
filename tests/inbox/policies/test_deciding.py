"""What a policy wants of whoever approves something: which rules count, and what they add up to."""

import pytest

from inbox.policies import PolicyError, read_policy
from inbox.policies.demands import Demands, demand
from tests.cases import in_one_test

_WRONG = {
    "kinds: [message]": "must require something",
    "kinds: [letter], batch: never": "kinds/0: must be one of 'message', 'meeting'",
    "when: [rain], batch: never": "when/0",
    "batch: always": "batch: must be one of 'never'",
    "second_approver: twice": "second_approver",
    "fresh: true": "fresh: unknown field",
}


def rules(source):
    return read_policy(f"decisions:\n  - {{{source}}}").fields.decisions


@in_one_test("written", _WRONG)
def test_what_cannot_be_a_rule_is_named_by_its_field(written):
    with pytest.raises(PolicyError) as refused:
        rules(written)
    assert _WRONG[written] in str(refused.value)
    assert "decisions/0" in str(refused.value)


@in_one_test(
    ("rule", "counts"),
    [
        ("second_approver: true", True),
        ("kinds: [message], second_approver: true", True),
        ("kinds: [share, message], second_approver: true", True),
        ("kinds: [meeting, deletion], second_approver: true", False),
        ("when: [new_recipient], second_approver: true", True),
        ("when: [steered], second_approver: true", False),
        ("when: [steered, {amount_over: 500}], second_approver: true", True),
        ("when: [{amount_over: 500, currency: EUR}], second_approver: true", True),
        ("when: [{amount_over: 500, currency: USD}], second_approver: true", False),
        ("when: [{amount_over: 700}], second_approver: true", False),
        ("kinds: [meeting], when: [new_recipient], second_approver: true", False),
    ],
)
def test_a_rule_counts_for_its_kinds_where_any_of_its_conditions_is_met(rule, counts):
    found = demand([("House", rules(rule))], {"message"}, {"new_recipient"}, "It costs 612 EUR.")
    assert found == (Demands(second=True, policies=("House",)) if counts else Demands())
    assert found.alone == counts


def test_policies_add_up_and_are_named_once_each():
    house = [*rules("batch: never"), *rules("fresh_sign_in: true")]
    found = demand([("House", house), ("Own", rules("second_approver: true"))], set(), set(), "")
    assert found == Demands(second=True, fresh=True, policies=("House", "Own"))
    assert found.named == "House, Own"
    assert demand([("House", rules("batch: never"))], set(), set(), "").alone
