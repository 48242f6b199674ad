"""Discounts and terms are given where one of us, the goal or a rule says so."""

from datetime import date

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import Named, ProposedMessage, Source
from inbox.rfc5322.text.language import detect_language

TODAY = date(2026, 3, 10)
RUTH = Named("Ruth Calder", "ruth@mill.example")


def source(type_, text, **fields):
    language = fields.pop("language", detect_language(text))
    return Source(type_, "1", text, TODAY, language=language, **fields)


def theirs(text):
    return source("message", f"Stone\n{text}", by=RUTH.email)


def boss(text):
    return source("message", f"Bits\n{text}", by="kai@us.example", is_inside=True, language="en")


def states(body, *sources, kind="percentage", language="en"):
    proposed = ProposedMessage("", body, TODAY, language, (RUTH,))
    return [it.state for it in check_claims(proposed, sources, known=(RUTH,)) if it.kind == kind]


GIVEN = {
    "en": ("We give you a discount of 10 % this time.", "Is there a discount of 10 % in it?"),
    "de": ("Sie bekommen diesmal 10 % Rabatt.", "Geben Sie mir 10 % Rabatt?"),
    "fr": ("Nous vous accordons une remise de 10 %.", "Une remise de 10 % est-elle possible ?"),
    "es": ("Le hacemos un descuento del 10 %.", "¿Me hacen un descuento del 10 %?"),
    "nl": ("U krijgt deze keer 10 % korting.", "Kan er 10 % korting af?"),
    "pl": ("Tym razem otrzymają Państwo rabat 10 %.", "Czy możliwy jest rabat 10 %?"),
}


@pytest.mark.parametrize("language", GIVEN)
def test_a_discount_that_was_only_asked_for_differs(language):
    body, question = GIVEN[language]
    assert states(body, theirs(question), language=language) == ["differs"]
    agreed = boss("Ruth gets a discount of 10 %.")
    assert "differs" not in states(body, theirs(question), agreed, language=language)
    goal = source("goal", "Give her the discount of 10 %", is_ours=True)
    assert "differs" not in states(body, theirs(question), goal, language=language)


def test_a_rule_limits_a_discount():
    body, asked = GIVEN["en"]
    for rule, state in (("up to 15 %", "found"), ("at most 5 %", "differs")):
        policy = source("policy", f"# Discounts: {rule}.", is_ours=True)
        assert states(body, theirs(asked), policy) == [state], rule


def test_each_part_of_the_goal_stands_alone():
    goal = source("goal", "Say no to their 60 days, offer our own 5 %", is_ours=True)
    body = "What we can give you is 5 % off this order."
    assert "differs" not in states(body, theirs("Do you give 15 % off?"), goal)


def test_a_share_of_two_counts_is_no_discount():
    body = "Of the 60 hours you have used 42, so 18 are left, or 30 %."
    rule = source("policy", "# Discounts: at most 5 %.", is_ours=True)
    assert "differs" not in states(body, theirs("How many hours are left of the 60?"), rule)


def test_a_discount_may_be_refused_and_nobody_gives_it_then():
    refused = boss("The mill: no discount of 10 %, they pay by the contract.")
    assert states(GIVEN["en"][0], refused) == ["differs"]
    assert states("We cannot give you a discount of 10 %.", refused) == ["found"]


def test_what_others_take_off_for_us_they_said():
    body = "Thank you for the 10 % discount."
    assert states(body, theirs("For the delay I give you 10 % on the slabs.")) == ["found"]


TERMS = {
    "en": "You can have your 60 days this once.", "de": "Wir geben Ihnen diesmal 60 Tage.",
    "fr": "Nous vous accordons 60 jours.", "es": "Le damos esta vez 60 días.",
    "nl": "Wij geven u deze keer 60 dagen.", "pl": "Tym razem dajemy Państwu 60 dni.",
}  # fmt: skip


@pytest.mark.parametrize("language", TERMS)
def test_a_term_that_one_of_us_refused_differs(language):
    refused = boss("The mill can have 45 days. Not 60.")
    asked = theirs("Can I have 60 days on that?")
    assert states(TERMS[language], asked, refused, kind="quantity", language=language) == [
        "differs"
    ]
