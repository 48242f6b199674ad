"""What a policy says of a phrase and of what is sensitive, by the reasons of the registry."""

import pytest

from inbox.policies import Outgoing, read_policy
from tests.cases import in_one_test

# What takes a pattern long that tries each way of taking it apart.
SLOW = "a" * 60 + "b"


@in_one_test(
    ("source", "body", "told"),
    [
        ("forbidden_phrases: [for free]", "It is for free.", ("forbidden_phrase", "phrase")),
        ("forbidden_phrases: [{phrase: for free, reason: Say it costs.}]", "It is for free.",
         ("forbidden_phrase", "own_words")),
        ("forbidden_phrases: [{phrase: for free, block: true}]", "It is for free.",
         ("policy_blocked", "phrase")),
        ("forbidden_phrases: [{phrase: for free, reason: No., block: true}]", "It is for free.",
         ("policy_blocked", "own_words")),
        ("forbidden_phrases: [/(a|aa)+$/]", SLOW, ("forbidden_phrase", "too_slow")),
        ("forbidden_phrases: [{phrase: /(a|aa)+$/, block: true}]", SLOW,
         ("policy_blocked", "too_slow")),
        ("redactions: [{name: runs, pattern: (a|aa)+$}]", SLOW,
         ("contains_sensitive_data", "too_slow")),
    ],
)  # fmt: skip
def test_each_reason_is_given_for_what_it_says(source, body, told):
    policy = read_policy(source)
    assert [(one.flag, one.reason) for one in policy.check(Outgoing(body))] == [told]
    assert policy.check(Outgoing("Hello.")) == []


@pytest.mark.parametrize("block", [True, False])
def test_what_somebody_says_of_a_phrase_is_what_is_told(block):
    source = f"forbidden_phrases: [{{phrase: for free, reason: Say it costs., block: {block}}}]"
    [finding] = read_policy(source).check(Outgoing("It is for free."))
    assert (finding.english, finding.excerpt) == ("Say it costs.", "for free")
