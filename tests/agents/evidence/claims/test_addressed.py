"""Whom a message greets, as whom, and in which language."""

from datetime import date

import pytest

from agents.evidence.claims.check import check_claims
from agents.evidence.claims.records import Mark, Named, ProposedMessage, Source
from inbox.rfc5322.text.language import detect_language

TODAY = date(2026, 3, 10)
RUTH = Named("Ruth Calder", "ruth@mill.example")
ENGLISH = (
    "Hello,\n\nwe would like to know when the new shelves are going to be here, and whether "
    "you can help us with the old ones. We are at the mill all of this week.\n\nRegards\nRuth"
)
GERMAN = (
    "Hallo zusammen,\n\ndie Regale sind noch nicht da, aber der Fahrer hat mir gesagt, dass er sie "
    "mit der Lieferung bringt. Bitte schreibt ihr das.\n\nJens"
)


def mail(text, by=RUTH.email, **fields):
    return Source(
        "message", by, f"Shelves\n{text}", TODAY, by=by, language=detect_language(text), **fields
    )


def wrong(body, *sources, to=RUTH) -> dict[str, Mark]:
    proposed = ProposedMessage("", body, TODAY, detect_language(body), (to,))
    marks = check_claims(proposed, sources, known=(to,))
    return {mark.excerpt: mark for mark in marks if mark.state != "found"}


def test_the_language_is_that_of_whom_it_goes_to_whatever_a_colleague_wrote():
    internal = mail(GERMAN, "jens@us.example")
    english = "Hello Ruth,\n\nthe shelves are with the driver and will be with you this week, as you asked us."
    assert wrong(english, internal, mail(ENGLISH)) == {}
    german = "Hallo Ruth,\n\ndie Regale sind beim Fahrer und werden noch mit der Lieferung bei dir sein, wie du es wolltest."
    marks = wrong(german, internal, mail(ENGLISH))
    assert [(it.kind, it.expected) for it in marks.values()] == [("language", "en")]


def test_a_language_in_which_we_answered_before_is_theirs():
    ours = mail("Hallo Ruth,\n\n" + GERMAN.partition("\n\n")[2], "office@us.example", is_ours=True)
    german = "Hallo Ruth,\n\ndie Regale sind beim Fahrer und werden noch mit der Lieferung bei dir sein, wie du es wolltest."
    assert wrong(german, mail(ENGLISH), ours) == {}


@pytest.mark.parametrize(
    "greeting",
    [
        "Dear Professor,", "Dear Colleagues,", "Dear Madam,", "Hi both,", "Dear Dr Calder,",
        "Liebe Kolleginnen und Kollegen,", "Sehr geehrte Frau Professorin,", "Liebe Gäste,",
        "Bonsoir Madame,", "Chère Madame la Directrice,", "Estimada doctora:", "Beste collega's,",
        "Gentile Dottoressa,", "Egregio Avvocato,", "Szanowna Pani Doktor,", "Prezados Senhores,",
        "Best wishes,", "Liebe Grüße",
    ],
)  # fmt: skip
def test_who_is_greeted_by_a_title_or_as_one_of_many_has_no_wrong_name(greeting):
    assert wrong(f"{greeting}\n\nthe shelves are here.") == {}


@pytest.mark.parametrize(
    "greeting",
    ["Dear Ms Winter,", "Bonjour M. Winter,", "Gentile dott.ssa Winter,", "Hallo Frau Dr. Winter,"],
)
def test_another_name_is_marked_behind_any_title(greeting):
    assert wrong(f"{greeting}\n\nthe shelves are here.")["Winter"].expected == "Ruth Calder"


ANN = Named("", "a.reed@mill.example")


def greets(greeting, *to, copied=()):
    body = f"{greeting}\n\nthe shelves are here."
    proposed = ProposedMessage(
        "", body, TODAY, "en", (*to, *copied), copied=frozenset(it.email for it in copied)
    )
    found = check_claims(proposed, (), known=proposed.greeted)
    return [it.expected for it in found if it.kind == "greeting" and it.state != "found"]


def test_who_is_only_copied_is_not_greeted():
    assert greets("Dear Mr Reed,", RUTH, copied=[ANN]) == ["Ruth Calder"]
    assert greets("Dear Ruth,", RUTH, copied=[ANN]) == []
    assert greets("Dear Mr Reed,", RUTH, ANN) == []


def test_the_address_of_a_person_says_who_is_greeted_by_a_title():
    soren = Named("", "soren.krueger@lab.example")
    assert greets("Dear Mr Holst,", soren) == ["Soren Krueger"]
    assert greets("Dear Mr Krüger,", soren) == []
    assert greets("Dear Ms Reed,", ANN) == []
    assert greets("Dear Teresa,", Named("", "groups.harbour@lab.example")) == []
    assert greets("Dear Ms Holst,", Named("", "accounts@lab.example")) == []


def test_a_short_name_by_which_somebody_signs_is_theirs():
    kate = Named("Katarzyna Zając", "kz@mill.example")
    text = ENGLISH.replace("Ruth", "Kasia")
    assert wrong("Dear Kasia,\n\nthe shelves are here.", mail(text, kate.email), to=kate) == {}
    assert "Kasia" in wrong(
        "Dear Kasia,\n\nthe shelves are here.", mail(ENGLISH, kate.email), to=kate
    )


def test_a_woman_is_not_called_mister():
    earlier = mail(
        "Dear Ms Calder,\n\nthe shelves come by train.", "office@us.example", is_ours=True
    )
    assert wrong("Dear Ms Calder,\n\nthe shelves are here.", earlier) == {}
    assert wrong("Dear Mr Calder,\n\nthe shelves are here.", earlier)["Mr"].expected == "Ms"
    assert wrong("Dear Sir,\n\nthe shelves are here.", earlier)["Sir"].expected == "Ms"
    assert wrong("Dear Sir or Madam,\n\nthe shelves are here.", earlier) == {}


def test_who_is_spoken_of_keeps_the_title_that_a_source_gives():
    told = mail("Bitte an Herrn Voss schicken, er ist am Empfang.\n\nRuth Calder")
    assert wrong("Hallo Ruth,\n\nwir schicken es an Herrn Voss.", told) == {}
    assert wrong("Hallo Ruth,\n\nwir schicken es an Frau Voss.", told)["Frau"].expected == "Herrn"


HELEN, MAREK = Named("Helen Marsh", "h@mill.example"), Named("Marek Sowa", "m@sowa.example")


def test_a_name_that_only_begins_like_the_reader_s_is_another_one():
    assert wrong("Dear Helena,\n\nit is here.", to=HELEN)["Helena"].expected == "Helen Marsh"
    assert wrong("Dear Helen,\n\nit is here.", to=HELEN) == {}
    ewan = Named("Jan Sowa", "j@sowa.example")
    assert wrong("Drogi Janu,\n\nszafa już jest u nas, dziękuję bardzo.", to=ewan) == {}
    assert wrong("Drogi Marku,\n\nszafa już jest u nas, dziękuję bardzo.", to=MAREK) == {}


FORMAL = {
    "en": ("Dear Mr Calder,", "Dear Ruth,"),
    "de": ("Sehr geehrter Herr Calder,", "Hallo Ruth,"),
    "fr": ("Bonjour Monsieur Calder,", "Bonjour Ruth,"),
    "es": ("Estimado señor Calder:", "Hola, Ruth:"),
    "nl": ("Geachte heer Calder,", "Hoi Ruth,"),
    "pl": ("Szanowny Panie Calder,", "Drogi Ruth,"),
}


@pytest.mark.parametrize("language", FORMAL)
def test_who_was_always_called_by_a_title_is_not_called_by_the_first_name(language):
    formal, familiar = FORMAL[language]
    before = Source(
        "message", "1", f"Shelves\n{formal}\n\n4711.\n\nKai", TODAY, is_ours=True, language=language
    )  # fmt: skip
    theirs = mail("Where are they?\n\nRuth Calder")

    def said(*sources):
        proposed = ProposedMessage("", f"{familiar}\n\n4711.", TODAY, language, (RUTH,))
        return [it.excerpt for it in check_claims(proposed, sources) if it.state == "differs"]

    assert said(theirs, before) == ["Ruth"]
    assert said(mail("Hi Kai,\n\nwhere are they?\n\nRuth Calder"), before) == []
    assert said(mail("Where are they?\n\nRuth"), before) == []
    assert said(theirs) == []


def test_a_card_or_the_reader_says_how_somebody_is_called():
    card = Source("contact", "1", "Ruth Calder\nMrs Calder, never Ruth", TODAY)
    assert wrong("Dear Ruth,\n\nit is here.", card)["Ruth"].expected == "Mrs Calder"
    asked = mail("I should prefer Mrs Calder.\n\nR. Calder")
    assert wrong("Dear Ruth,\n\nit is here.", asked)["Ruth"].expected == "Mrs Calder"


def test_a_title_is_not_held_against_somebody_else_of_the_name():
    told = mail("Ask Mrs Calder.", "kai@us.example", is_inside=True)
    cards = [Source("contact", it, f"{it}\nMill", TODAY) for it in ("Ruth Calder", "Max Calder")]
    assert "Mr" in wrong("Hello,\n\nMr Calder comes.", told)
    assert wrong("Hello,\n\nMr Calder comes.", told, *cards) == {}


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("Überweisen Sie das bitte.", "Schicken Sie mir bitte den Plan."),
        ("Die Bank ist die Kurhessischen Bank.", "Bank: Kurhessische Bank"),
        ("Traslado Verdane: todo bien.", "Seminario Verdane, sala grande"),
        ("Sie ist im Dezember da.", "She is here in December."),
    ],
)
def test_two_words_with_a_capital_are_no_name_yet(body, told):
    assert wrong(f"Hallo Ruth,\n\n{body}", Source("file", "1", told, TODAY)) == {}


def test_a_noun_before_a_name_is_no_other_first_name():
    card = Source("contact", "1", "Gerhard Pohl\nNachbar", TODAY)
    body = "Hallo Ruth,\n\nwegen der Sachen Pohl melde ich mich bald bei Ihnen."
    assert wrong(body, card) == {}
    body = "Hello Ruth,\n\nwe have asked Viktor Pohl to have a look at it for you."
    assert wrong(body, card)["Viktor Pohl"].expected == "Gerhard Pohl"


def test_a_mark_on_the_language_reaches_to_the_first_sentence():
    german = "Hallo Ruth,\n\nschön, dass die Regale bei dir sind. Der Fahrer hat mir gesagt, dass es lange dauert."
    (mark,) = wrong(german, mail(ENGLISH)).values()
    assert mark.excerpt == "Hallo Ruth,\n\nschön, dass die Regale bei dir sind."


def test_a_name_with_a_title_is_somebodys_in_a_sentence_that_offers_too():
    known = mail("Our examiner is Dr. Gerd Ilchmann, he comes on Monday.")
    body = "Hello Ruth,\n\nDr. {} may have lunch with us, if he likes."
    assert "Illmann" in wrong(body.format("Illmann"), known)
    assert wrong(body.format("Ilchmann"), known) == {}


def test_an_account_that_a_file_has_as_somebody_elses_is_not_ours():
    lease = Source(
        "file",
        "1",
        "/lease.txt\nAccount of the lessor: DE68 2007 7700 0055 0163 40",
        TODAY,
        is_ours=True,
    )
    rules = Source(
        "policy", "2", "Our account is DE61 2009 9900 0071 4420 16.", TODAY, is_ours=True
    )
    body = "Hello Ruth,\n\nplease pay to our account DE68 2007 7700 0055 0163 40."
    (mark,) = wrong(body, mail(ENGLISH), lease, rules).values()
    assert mark.expected == "DE61 2009 9900 0071 4420 16"
    right = body.replace("DE68 2007 7700 0055 0163 40", "DE61 2009 9900 0071 4420 16")
    assert wrong(right, mail(ENGLISH), lease, rules) == {}
    assert wrong(body, mail(ENGLISH), lease) == {}
