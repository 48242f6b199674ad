"""Values that sources have, but in another role: on another clock, told since, kept here."""

from datetime import date, time, timedelta

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import Mark, Named, ProposedMessage, Source
from inbox.rfc5322.text.language import detect_language

TODAY = date(2026, 3, 10)
RUTH = Named("Ruth Calder", "ruth@mill.example")
US = Named("Kim Ode", "kim@yard.example")


def mail(text, days=0, *, ours=False, by=RUTH, inside=False):
    writer = US if ours else by
    return Source(
        "message", f"m{days}{text[:9]}", f"Re: Barge\n{text}", TODAY - timedelta(days),
        is_ours=ours, language=detect_language(text), by=writer.email, thread="t", at=time(9),
        people=(writer, RUTH if ours else US), is_inside=inside,
    )  # fmt: skip


def file(text, type_="file"):
    return Source(type_, "f", text, TODAY, is_ours=True)


def event(text):
    return Source("event", "e", text, TODAY, is_ours=True)


# How rare a word is is counted by lines.
LOG = file(
    "log.txt\n" + "\n".join(f"{it} rope {it}0 stored" for it in "abcdefghijklmnopqrstuvwxyz")
)


def wrong(body, *sources, to=RUTH, further=()) -> list[Mark]:
    proposed = ProposedMessage(
        "", body, TODAY, detect_language(body), (to,), sender=US, zone="Europe/Berlin"
    )
    marks = check_claims(proposed, sources, lambda _: [*further, LOG], known=(to,))
    return [it for it in marks if it.state != "found"]


def differing(*given, **more) -> list[tuple[str, str]]:
    return [(it.excerpt.rstrip("."), it.expected.rstrip(".")) for it in wrong(*given, **more)]


# -- told since --------------------------------------------------------------------------------
OFFERED = mail("The survey of the barge is on 17 April at 10:00.", 5, ours=True)
MOVED = mail("Sorry, I must move the survey of the barge to 24 April.", 2)
LATE = "We come for the survey of the barge on 17 April."


def test_a_day_that_the_reader_has_moved_since_differs():
    assert differing(LATE, MOVED, OFFERED) == [("17 April", "24 April")]
    assert wrong("We come for the survey of the barge on 24 April.", MOVED, OFFERED) == []


def test_what_is_told_of_something_else_moves_nothing():
    assert wrong(LATE, mail("The new crane is here from 24 April.", 2), OFFERED) == []


def test_without_words_that_change_it_another_value_moves_nothing():
    again = mail("The second survey of the barge is on 24 April.", 2)
    assert wrong(LATE, again, OFFERED) == []


def test_what_stands_in_the_calendar_as_well_is_not_moved():
    kept = event("Survey of the barge\n2026-04-17 10:00-11:00")
    assert wrong(LATE, MOVED, OFFERED, further=[kept]) == []


def test_what_is_moved_from_is_not_where_it_is_moved_to():
    swapped = mail("The survey of the barge is now on 24 April instead of 17 April.", 2)
    assert wrong("The survey of the barge is on 24 April.", swapped, OFFERED) == []
    assert differing(LATE, swapped, OFFERED) == [("17 April", "24 April")]


def test_an_amount_of_another_size_replaces_none():
    offer = mail("Painting the hull of the barge costs 4,200 EUR.", 5, ours=True)
    body = "Painting the hull of the barge costs 4,200 EUR."
    small = mail("Painting the hull of the barge now needs 90 EUR for a sample.", 2)
    assert wrong(body, small, offer) == []
    lower = mail("You are right, painting the hull of the barge will be 3,900 EUR.", 2)
    assert differing(body, lower, offer) == [("4,200 EUR", "3,900 EUR")]


# -- on whose clock ----------------------------------------------------------------------------
THEIRS = mail("Could you ring me on 12 March at 15:00 my time?")


@pytest.mark.parametrize("answer", [(), (mail("15:00 yours, 16:00 ours, is fine.", ours=True),)])
def test_a_time_on_their_clock_is_not_ours(answer):
    assert [it for it, _ in differing("I ring you at 15:00 our time.", THEIRS, *answer)] == [
        "15:00"
    ]
    assert wrong("I ring you at 15:00 your time.", THEIRS, *answer) == []


def test_the_time_that_the_same_mail_has_on_our_clock_is_expected():
    told = mail("15:00 yours, 16:00 ours, is fine.", ours=True)
    assert differing("I ring you at 15:00 our time.", told) == [("15:00", "16:00")]


def test_a_colleague_is_told_by_the_mail_of_whom_the_message_names():
    lee = Named("Lee Park", "lee@yard.example")
    body = "Ruth Calder expects us at 15:00 our time."
    assert [it for it, _ in differing(body, to=lee, further=[THEIRS])] == ["15:00"]
    assert wrong("The van comes at 15:00 our time.", to=lee, further=[THEIRS]) == []


def test_a_zone_that_is_named_is_held_against_our_clock():
    asked = mail("Could we speak on 2 December at 10:00 Eastern?")
    right = "On 2 December 10:00 Eastern suits me, that is 16:00 here."
    assert wrong(right, asked) == []
    assert differing(right.replace("16:00", "17:00"), asked) == [("17:00", "16:00")]


def test_a_length_between_two_times_makes_two_moments_of_them():
    asked = mail("Could we speak on 2 December at 10:00 Eastern?")
    body = "We begin at 15:30 here on 2 December, and with 90 minutes we end at 11:00 Eastern."
    assert wrong(body, asked, mail("On 2 December at 15:30 here, until 11:00.", ours=True)) == []


# -- what is told to nobody ------------------------------------------------------------------------
LIMIT = file("minutes.md\nDry dock: our limit of 31,000 EUR is not told to any bidder.")
DRAFT = file("prices.csv\nDraft for 2027 - internal until May\nhull;painting;4700.00 EUR")


@pytest.mark.parametrize(
    ("body", "source", "words"),
    [
        ("For the dry dock we cannot go above 31,000 EUR.", LIMIT, "not told to any bidder"),
        ("The painting of a hull will be 4,700.00 EUR.", DRAFT, "internal until May"),
    ],
)
def test_a_value_that_stays_here_is_not_told_outside(body, source, words):
    marks = wrong(body, mail("What will it cost?"), further=[source])
    assert [it.kind for it in marks] == ["confidential"]
    assert words in marks[0].expected
    assert wrong(body, to=Named("Lee Park", "lee@yard.example"), further=[source]) == []


def test_what_the_reader_has_told_is_no_secret():
    assert wrong(
        "For the dry dock you wrote 31,000 EUR.", mail("The dry dock is 31,000 EUR."),
        further=[LIMIT],
    ) == []  # fmt: skip


def test_a_number_that_happens_to_stand_in_a_draft_is_no_secret():
    body = "The ladder comes to 4,700.00 EUR."
    marks = wrong(body, mail("What is a ladder?"), further=[DRAFT])
    assert "confidential" not in {it.kind for it in marks}


# -- what is right ---------------------------------------------------------------------------------
def test_a_time_in_words_says_no_half_of_the_day():
    told = mail("Dinner is at 19:30 on 12 March.")
    assert wrong("Dinner is at half past seven.", told) == []
    assert differing("Dinner is at half past eight.", told) != []


def test_a_code_of_a_span_is_found():
    told = mail("We send twelve pumps (HP-3370 up to and including HP-3381).")
    assert wrong("The fan of HP-3377 is worn.", told) == []
    assert [it for it, _ in differing("The fan of HP-3391 is worn.", told)] == ["HP-3391"]


def test_an_address_of_our_house_with_a_name_of_the_sources_is_right():
    told = mail("Fatima comes to the survey.", ours=True)
    assert wrong("Write to fatima@yard.example.", told) == []
    assert [it.state for it in wrong("Write to carlos@yard.example.", told)] == ["nowhere"]
    assert [it.state for it in wrong("Write to fatima@yards.example.", told)] == ["nowhere"]


def test_a_pronoun_with_a_capital_is_none_of_a_name():
    told = mail("Frau Demir kümmert sich um die Unterlagen für das Schiff.", ours=True)
    assert wrong("Am Donnerstag wird Frau Demir Ihnen die Unterlagen schicken.", told) == []


def test_a_noun_is_no_misspelt_name():
    told = mail("Die Rechnung für das Schiff ist noch nicht bei uns angekommen.")
    assert wrong("Die Berechnung für das Schiff ist fertig und kommt mit der Post.", told) == []


def test_the_language_that_a_card_of_the_reader_names_is_right():
    told = mail("Guten Tag, haben Sie schon entschieden, wann das Schiff zu uns kommt? Ich bin da.")
    body = "Thank you for your mail, we have not decided yet and will write to you when we have."
    assert [it.kind for it in wrong(body, told)] == ["language"]
    for note, email, kinds in (
        ("Please write to me in English.", RUTH.email, []),
        ("Please write to me in English.", "other@mill.example", ["language"]),
        ("Calls are best before noon.", RUTH.email, ["language"]),
    ):
        card = Source("contact", "c", f"Ruth Calder\n{email}\n{note}", TODAY)
        assert [it.kind for it in wrong(body, told, card)] == kinds, (note, email)


def test_a_house_is_the_same_with_a_comma():
    told = mail("Livrez le bateau au 27 quai Rambaud, merci beaucoup.")
    assert wrong("Nous livrons le bateau au 27, quai Rambaud, comme prévu.", told) == []


def test_a_rule_in_another_language_has_terms():
    rule = file(
        "# La disdetta è gratuita fino a 14 giorni prima dell'arrivo, poi si paga la metà del prezzo "
        "che abbiamo detto nella conferma. Non abbiamo posto per i cani, ma per le persone che "
        "sono con noi da più anni il posto è sempre quello di prima.",
        "policy",
    )  # fmt: skip
    told = mail("We would like to arrive on 13 May with the barge.")
    assert (
        wrong(
            "Thank you for your mail. Cancelling is possible until 29 April.", told, further=[rule]
        )
        == []
    )


def test_a_rule_with_an_if_allows_what_it_names():
    rule = file("# Discounts: without a contract 5 % may be given once, if asked.", "policy")
    asked = mail("Is there a discount of 5 % in it?")
    for body, is_right in (("You get 5 % off this time.", True), ("You get 9 % off.", False)):
        marks = wrong(body, asked, further=[rule])
        assert ("percentage" not in {it.kind for it in marks}) is is_right, body


def test_words_of_a_discount_without_a_share_limit_none():
    told = mail("The new latch is 118.00 EUR before your discount.", 3, ours=True)
    contract = file("contract.txt\nDiscount of 12 % on all latches.")
    assert wrong("The discount of 12 % is in it.", told, further=[contract]) == []
