"""What the flows of policies make of flags: the strictest counts."""

import pytest

from inbox.flags import as_json, collect, found
from inbox.policies import PolicyError, read_policy
from inbox.policies.flows import ACTIONS, FLAG_OF, FlowRule, Flows, find_hold, judge, strictest
from tests.cases import in_one_test

NEW = found("new_recipient", "new", excerpt="eve@elsewhere.example")
LONG = found("too_long", "length", count=3, most=2)


def flows(source):
    return read_policy(source).fields.flows


def codes(flags):
    return [flag.flag for flag in flags]


def test_without_a_word_of_it_only_changed_addresses_silence_and_attached_files_wait():
    assert flows("") == Flows()
    held = {flow for flow in FLAG_OF if getattr(Flows(), flow) == "hold"}
    assert held == {"card_address_change", "silent_cancel", "overwrite_attached_file"}
    assert set(Flows.model_fields) == set(FLAG_OF)


@in_one_test(
    ("source", "field", "words"),
    [
        ("flows:\n  stranger: hold", "flows/stranger", "use one of stranger_recipient, readers"),
        ("flows:\n  readers: stop", "flows/readers", "allow"),
        ("flows: hold", "flows", ""),
    ],
)
def test_a_flow_or_an_action_that_there_is_not_is_named(source, field, words):
    with pytest.raises(PolicyError) as refused:
        read_policy(source)
    assert refused.value.field == field
    assert words in str(refused.value)


@in_one_test(
    ("action", "raised", "held"),
    [
        ("allow", ["too_long"], False),
        ("flag", ["new_recipient", "too_long"], False),
        ("hold", ["new_recipient", "too_long"], True),
        ("block", ["policy_blocked", "new_recipient", "too_long"], False),
    ],
)
def test_each_action_does_to_its_flow_what_it_says_and_nothing_to_others(action, raised, held):
    rules = strictest([("House", flows(f"flows: {{stranger_recipient: {action}}}"))])
    judged = judge(rules, collect([NEW, LONG]))
    assert codes(judged) == raised
    rule = FlowRule("stranger_recipient", action, "House")
    assert find_hold(rules, judged) == (rule if held else None)


def test_what_is_blocked_names_the_policy_the_rule_and_the_words_beside_what_blocks_already():
    rules = strictest([("House", flows("flows: {stranger_recipient: block}"))])
    other = found("policy_blocked", "not_allowed", excerpt="bo@customer.example")
    [blocked, _] = judge(rules, collect([other, NEW]))
    assert blocked.reasons == (
        "This address is not on the policy's list of allowed recipients.",
        "The policy House forbids it: stranger_recipient: block.",
    )
    assert [item.get("excerpt") for item in as_json([blocked])[0]["items"]] == [
        "bo@customer.example", "eve@elsewhere.example",
    ]  # fmt: skip


def test_of_two_policies_the_stricter_counts_for_each_flow():
    for first in ACTIONS:
        for second in ACTIONS:
            rules = strictest([
                ("First", flows(f"flows: {{readers: {first}, destroy: hold}}")),
                ("Second", flows(f"flows: {{readers: {second}}}")),
            ])  # fmt: skip
            rule = rules["not_for_these_readers"]
            assert rule.action == max(first, second, key=ACTIONS.index)
            assert rules["destroys"].policy == "First"
    assert strictest([])["address_changed"] == FlowRule("card_address_change", "hold", "")
