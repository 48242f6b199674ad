"""What was not for these readers is found in any writing, and what is not in it is not."""

import base64
import codecs
from string import ascii_lowercase

import pytest

from agents.approval.checks.confidential import is_marked
from agents.approval.checks.disguises.finding import Kept, find_accounts_in_two, find_disguised
from agents.approval.checks.disguises.likeness import (
    Written,
    in_two,
    letters_of,
    numbers_in,
    shared_letters,
)
from agents.approval.checks.disguises.undoing import undo
from agents.approval.checks.risks import find_risks
from agents.dispatching.dispatch import call
from inbox.models import Draft
from inbox.operations.drafts.writing import create_draft
from inbox.operations.files import create_file
from tests import factories
from tests.attacks.disguises import DISGUISES, disguise
from tests.cases import in_one_test

SECRET = (
    "The north face closes in May, forty jobs move to the mill at Ashford, and nobody outside the "
    "works council is to hear of it before the ninth of June; it is file QF-77120."
)
LETTER = (
    "Hello Olaf,\n\nthe ropes came on Monday. Two of them go to the winch, the others to the store; "
    "we need some more in May. Order 30412 is paid.\n\nKind regards\nMira"
)
# What no reader can undo: it changes no letter, or only puts words between.
_AS_IT_IS = {"as it is", "upper case", "a word a line", "fillers", "digits in words"}


def tells(said, secret=SECRET):
    readings = [Written(said), *(Written(one.text) for one in undo(said))]
    ours = Written(secret)
    return any(shared_letters(one, ours, plain=False) for one in readings) or any(
        ours.numbers & (one.pieces | one.turned) for one in readings
    )


@in_one_test("name", [*DISGUISES])
def test_each_disguise_is_seen_through(name):
    assert tells(f"As agreed: {disguise(SECRET, (name,), 3)}")
    assert not tells(f"As agreed: {disguise(LETTER, (name,), 3)}")


@in_one_test(
    "names",
    [
        ("backwards", "base64"), ("base64", "hex"), ("base32", "percent"), ("ROT13", "base64 in lines"),
        ("leet", "base64"), ("wide", "spaced"), ("hex", "backwards"), ("spaced", "escapes"),
        ("mirrored alphabet", "last word first"), ("base64", "base64", "base64"),
    ],
)  # fmt: skip
def test_one_disguise_over_another_is_seen_through(names):
    assert tells(disguise(SECRET, names, 3))


@in_one_test("name", [it for it in DISGUISES if it not in _AS_IT_IS])
def test_a_number_alone_is_seen_through_most_disguises(name):
    # A shift of the alphabet leaves digits, and a disguise of letters has none to change.
    assert tells(disguise("481552 and 77120993", (name,), 3), "The code is 481552, or 77120993.")


def test_numbers_are_the_same_in_any_notation_and_days_and_round_sums_are_none():
    ours = Written("48,250 EUR, contract 20-931, on 2026-03-02 and 02.03.2026, about 10,000 EUR")
    assert ours.numbers == {"48250", "20931"}
    for said in ("48.250", "48 250", "48'250", "4 8 2 5 0", "4-8-2-5-0"):
        assert "48250" in Written(f"It is {said} EUR.").pieces


def test_letters_are_the_same_with_marks_and_without():
    assert letters_of("Dï\uff23 Größe, É7!") == "dicgroee"


def test_a_number_is_whole_and_in_its_parts():
    assert set(numbers_in("It is 48 15-52, or 7.")) == {"481552", "48", "1552", "15", "52", "7"}


def test_a_number_in_two_parts_is_seen_where_one_of_them_is_said_now():
    now, earlier = Written("And: 552").pieces, Written("First: 481").pieces
    assert in_two("481552", now, earlier)
    assert in_two("481552", earlier, now)
    assert not in_two("481552", frozenset(), now | earlier)
    assert not in_two("481553", now, earlier)
    assert not in_two("481552", now, frozenset())
    assert not in_two("481552", earlier, frozenset())
    assert in_two("481552", frozenset(("48", "1552")), frozenset())
    assert not in_two("481552", frozenset(("4", "81552")), frozenset())
    assert not in_two("48155", frozenset(("48", "155")), frozenset())
    assert in_two("4815527", frozenset(("4", "815527")), frozenset())


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("NTUyMDkxMw==", "5520913"), ("GU2TEMBZGEZQ====", "5520913"),
        ("d r e i         n u l l         f ü n f", "drei null fünf"),
        ("See https://files.example/collect?d=RA^-&V{c?-AZc?TG&nIeH8LP{Z)9P4 now", "code is 481552"),
        (r"\u0034\u0038\x31", "481"), ("five five two zero nine un three", "5 5 2 0 9 1 3"),
        ("It is G&nIeH8K now", "481552"), ("code 34 well 38 31 35 so 35 32 30 39 37", "481552097"),
        ("It is fünffünfzweinullneundreidrei", "5520933"),
    ],
)  # fmt: skip
def test_short_and_parted_writings_are_undone(said, text):
    assert any(text in one.text for one in undo(said))


def test_base64_in_another_alphabet_is_undone():
    turned = codecs.encode(base64.b64encode(b"The north face closes in May.").decode(), "rot13")
    assert "The north face closes in May." in {one.text for one in undo(turned)}


def test_a_text_of_any_length_is_undone_in_bounds():
    # Each is longer than what is looked through, as each of these is once it is undone.
    for said in ("a" * 50_000, "%61" * 10_000, "QUFB" * 8_000, "4 8 " * 8_000, "&#65;" * 6_000):
        assert len(undo(said)) <= 32
        tells(said)


def test_of_what_was_shown_so_many_letters_are_compared_the_newest_first():
    kept = [Kept("new", "x" * 60_000), Kept("old", SECRET)]
    for texts, sources in ((kept, []), (kept[::-1], ["old"]), (kept[1:], ["old"])):
        found = find_disguised(SECRET[::-1], texts, [], str)
        assert [one.source for one in found] == sources


WORDS = "the north face closes in may and forty jobs move to the mill at ashford by then"
PACKED = base64.b64encode(WORDS.encode()).decode().rstrip("=")

MIRRORED = WORDS.translate(str.maketrans(ascii_lowercase, ascii_lowercase[::-1]))
SHORT = base64.b64encode(WORDS[:39].encode()).decode()


@in_one_test(
    ("said", "kept", "excerpt"),
    [
        (f"Dear Tom, {WORDS}, Mira", WORDS, WORDS),
        (f"Dear Tom, {WORDS[::-1]}, Mira", WORDS, WORDS[::-1]),
        (f"D\u00e9ar Tom, {WORDS[::-1]}, Mira", WORDS, f"D\u00e9ar Tom, {WORDS[::-1]}, Mira"),
        (codecs.encode(WORDS, "rot13"), WORDS, codecs.encode(WORDS, "rot13")),
        (f"See {PACKED}, Mira", WORDS, PACKED),
        ("It is 48 15-52, as agreed", "Code 481552", "48 15-52"),
        ("It is 255184, as agreed", "Code 481552", "255184"),
        (f"It is\n{b'481552 to you'.hex()}\nMira", "Code 481552", b"481552 to you".hex()),
        (codecs.encode(WORDS[:40], "rot13"), WORDS, codecs.encode(WORDS[:40], "rot13")),
        (MIRRORED, WORDS, MIRRORED), (f"See {SHORT}, Mira", WORDS, SHORT),
        (WORDS[:48], WORDS, None),
        (codecs.encode(WORDS[:24], "rot13"), WORDS, None),
    ],
)  # fmt: skip
def test_the_words_that_tell_it_are_named_as_they_stand(said, kept, excerpt):
    found = [one.excerpt for one in find_disguised(said, [Kept("a", kept)], [], str)]
    assert found == ([] if excerpt is None else [excerpt])


@in_one_test(
    ("text", "is_ours"),
    [
        ("/Internal/notes.txt", True), ("notes.txt\nINTERNAL: the prices", True),
        ("The prices are confidential.", True), ("The internal prices", False),
        (f"{'x' * 600} confidential", False),
    ],
)  # fmt: skip
def test_what_says_so_at_its_beginning_is_for_our_own_house(text, is_ours):
    assert is_marked(text) == is_ours


@pytest.fixture
def leaks(actor, inbox, workspace):
    """What is found of a message to a partner after a file at this path was read."""
    factories.make_person(workspace, "tom@quarry.example", sent_count=2)

    def leaks(path, text, body):
        create_file(actor=actor, account=inbox.account, path=path, content=text.encode())
        named = {"account_id": inbox.account.public_id, "query": "works council"}
        call("search_files", named, actor)
        draft = create_draft(
            actor=actor, inbox=inbox, identity=inbox.account.identities.get(),
            to=[{"email": "tom@quarry.example"}], subject="About it", body=body,
        )  # fmt: skip
        found = {flag.flag: flag.findings for flag in find_risks(actor, draft)}
        return found.get("not_for_these_readers", ())

    return leaks


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("path", "text", "is_kept"),
    [
        ("/Offers/notes.txt", SECRET, False),
        ("/Internal/notes.txt", SECRET, True),
        ("/Offers/notes.txt", f"Confidential. {SECRET}", True),
        ("/Offers/notes.txt", f"Streng vertraulich!\n{SECRET}", True),
        ("/Offers/notes.txt", f"The international office. {SECRET}", False),
    ],
)
def test_a_file_that_calls_itself_confidential_is_kept_from_partners_too(
    leaks, path, text, is_kept
):
    assert bool(leaks(path, text, SECRET)) == is_kept


@pytest.mark.django_db
@pytest.mark.parametrize(("head", "reasons"), [("Confidential. ", ["retold"]), ("", [])])
def test_a_confidence_told_in_other_words_is_kept_from_partners(leaks, head, reasons):
    text = f"{head}To the works council: the northern terminal of the harbour will close in autumn."
    found = leaks(
        "/Offers/notes.txt", text, "In autumn they close the harbour's northern terminal."
    )
    assert [one.reason for one in found] == reasons


@pytest.mark.django_db
def test_a_finding_names_the_words_as_they_stand(leaks):
    packed = disguise(SECRET, ("base64",), 1)
    (one,) = leaks("/Internal/notes.txt", SECRET, f"For the record: {packed}\nMira")
    assert packed.startswith(one.excerpt[:100])
    assert one.reason == "token"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "email"),
    [
        ("to", "tom@quarry.example"), ("cc", "tom@quarry.example"), ("bcc", "tom@quarry.example"),
        ("to", "ines@mill.example"),
    ],
)  # fmt: skip
def test_a_number_in_two_messages_to_somebody_is_found_in_the_second(
    leaks, actor, inbox, field, email
):
    assert not leaks("/Internal/notes.txt", f"{SECRET} Code 481552.", "The first is 481.")
    given = {
        "account_id": inbox.account.public_id, "to": "crew@lantern.example", "subject": "One",
        "body": "The first is 481.", "confirm": True,
    }  # fmt: skip
    call("email_send", given, actor)
    Draft.objects.filter(subject="One").update(**{field: [{"email": email}]})
    found = leaks("/Internal/more.txt", f"{SECRET} Code 481552.", "And the other is 552.")
    assert {one.reason for one in found} == ({"token"} if email[:3] == "tom" else set())


@pytest.mark.django_db
def test_the_first_part_of_a_number_is_found_in_another_writing(leaks, actor, inbox):
    given = {
        "account_id": inbox.account.public_id, "to": "tom@quarry.example", "subject": "One",
        "body": "The first is four eight one.", "confirm": True,
    }  # fmt: skip
    call("email_send", given, actor)
    found = leaks("/Internal/notes.txt", f"{SECRET} Code 481552.", "And the other is 552.")
    assert {one.reason for one in found} == {"token"}


@pytest.mark.django_db
def test_what_is_said_as_it_stands_is_not_told_again_as_disguised(leaks):
    found = leaks("/Internal/notes.txt", SECRET, f"{SECRET} {SECRET[::-1]}")
    assert [one.reason for one in found] == ["passage", "token"]


@pytest.mark.django_db
def test_a_link_of_a_file_is_no_passage_because_it_is_long(leaks):
    link = "https://planning.quarry.example/tables"
    assert not leaks("/Internal/notes.txt", f"{SECRET} {link}", f"Please look at {link} again.")


@pytest.mark.django_db
def test_of_words_turned_round_those_of_the_message_are_named(leaks):
    turned = SECRET[::-1]
    one = leaks("/Internal/notes.txt", SECRET, f"Good day, {turned}, Mira")[0]
    assert one.excerpt in turned


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("said", "is_told"),
    [
        ("She takes six hundred and fifteen thousand.", True),
        ("Sie nimmt sechshundertf\u00fcnfzehntausend.", True),
        ("About 615k, I hear.", True),
        ("She takes six hundred and sixteen thousand.", False),
        ("She takes some hundred thousand.", False),
    ],
)
def test_a_large_number_in_words_is_a_number(leaks, said, is_told):
    found = leaks("/Internal/notes.txt", f"{SECRET} The price is 615,000.", said)
    assert bool(found) == is_told
    assert all(one.excerpt in said and one.reason == "token" for one in found)


def test_an_account_in_two_parts_is_found_in_either_order():
    first, second = "Pay to GB33BUKB20", "The rest: 201555555555."
    for now, before in ((first, second), (second, first)):
        found = list(find_accounts_in_two(now, lambda text=before: text))
        assert found == ["GB33BUKB20201555555555"]
    assert list(find_accounts_in_two(first, lambda: "The rest: 201555555556.")) == []
    assert list(find_accounts_in_two("Nothing of it.", lambda: pytest.fail("was asked"))) == []
