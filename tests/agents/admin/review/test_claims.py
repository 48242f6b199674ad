"""What a message claims, on the page of its review: what is wrong is pointed at, beside its source."""

import re
from typing import get_args

import pytest
from django.urls import reverse

from agents.admin.evidence.claims import KINDS, SOURCES, claim_spans, number_claims
from agents.evidence.claims.records import Kind, SourceType
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(inbox):
    return factories.make_message(inbox, text="The invoice INV-2041 is over 348 EUR. Ada Byron")


def page(client, approval, user):
    client.force_login(user)
    return client.get(reverse("review", args=[approval.public_id])).content.decode()


def test_what_differs_is_marked_in_the_message_and_in_its_source(client, actor, asked, reviewer):
    approval = propose(actor, asked.thread, "Dear Ada,\n\nwe pay 384 EUR for INV-2041.")
    text = page(client, approval, reviewer)
    assert '<mark class="mark-claim" data-marks="claim-1">384 EUR</mark>' in text
    assert '<mark class="mark-claim" data-marks="claim-1">348 EUR</mark>' in text
    assert 'id="mark-claim-1" href="#claim-1"' in text
    assert re.search(r"instead of <strong>(<bdi>)?348 EUR", text)


def test_what_has_a_source_is_underlined_and_listed(client, actor, asked, reviewer):
    text = page(client, propose(actor, asked.thread, "We pay 348 EUR for INV-2041."), reviewer)
    assert '<mark class="mark-sourced" data-marks="sourced-1">348 EUR</mark>' in text
    assert "2 claims have a source" in text
    assert reverse("message", args=[asked.public_id]) in text


def test_what_is_found_nowhere_says_so(client, actor, asked, reviewer):
    text = page(client, propose(actor, asked.thread, "That is order 9988776."), reviewer)
    assert "found nowhere" in text


def test_every_kind_of_claim_and_of_source_has_words():
    assert set(KINDS) == set(get_args(Kind))
    assert set(SOURCES) == set(get_args(SourceType))


def test_a_message_without_claims_has_no_such_section(client, actor, asked, reviewer):
    assert 'class="claims"' not in page(
        client, propose(actor, asked.thread, "Thank you, we look at it."), reviewer
    )


def test_the_page_of_a_batch_shows_them_too(client, actor, asked, reviewer):
    approval = propose(actor, asked.thread, "We pay 384 EUR.")
    client.force_login(reviewer)
    text = client.get(reverse("batch"), {"item": approval.public_id}).content.decode()
    assert f'id="{approval.public_id}-claim-1"' in text


@pytest.mark.parametrize(
    ("text", "start"), [("We pay 384 EUR.", 7), ("Now we pay 384 EUR.", 11), ("384 EUR", 0)]
)
def test_a_claim_is_found_where_its_words_stand_now(text, start):
    row = {"part": "body", "excerpt": "384 EUR", "start": 7, "state": "nowhere"}
    (span,) = claim_spans("body", text, number_claims([row]))
    assert (span.start, span.end) == (start, start + 7)


def test_words_that_are_gone_are_marked_nowhere():
    row = {"part": "body", "excerpt": "384 EUR", "start": 7, "state": "nowhere"}
    assert claim_spans("body", "We pay nothing.", number_claims([row])) == []
