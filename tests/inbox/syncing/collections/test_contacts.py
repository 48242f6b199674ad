"""Cards of address books, kept as people and written back; nothing echoes, nothing is lost."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from inbox.formats.content_lines import read_blocks
from inbox.models import Correspondence, Job, Person, PersonEmail, SharedAddress
from inbox.operations.contacts.cards import CardChanges, CardEmail
from inbox.operations.contacts.contacts import (
    create_contact,
    delete_contact,
    merge_people,
    restore_contact,
    update_contact,
)
from inbox.operations.contacts.people import Contact, record_contacts
from inbox.operations.contacts.shared_addresses import share_out_addresses
from inbox.syncing.collections.keepers import Incoming, UnfitItemError, keeper_of
from tests import factories
from tests.cases import in_one_test, made_up
from tests.inbox.syncing.collections import cards
from tests.inbox.syncing.collections.mirrored import (
    found,
    keep,
    keep_again,
    make_collection,
    written,
)
from tests.inbox.syncing.collections.sources import run_jobs_but_syncs

pytestmark = pytest.mark.django_db


@pytest.fixture
def book(inbox):
    return make_collection(inbox.account, "contacts")


def read(raw):
    return keeper_of("contacts").read(raw, "")


def lines(raw):
    [card] = read_blocks(raw.decode("utf-8", "surrogateescape"))
    return list(card.items)


@in_one_test("maker", list(cards.ALL))
def test_what_is_kept_of_a_card_is_found_as_it_was_read(book, maker):
    raw = cards.ALL[maker]
    [key] = keep(book, raw)
    assert found(book, key) == read(raw)
    assert maker == "Outlook" or lines(written(book, key)) == lines(raw)
    assert read(written(book, key)) == read(raw)


def test_a_card_says_who_somebody_is(book):
    [key] = keep(book, cards.APPLE)
    ada = Person.objects.get(pk=key)
    assert (ada.fn, ada.name_prefix, ada.given_name) == ("Dr. Ada Augusta Byron", "Dr.", "Ada")
    assert (ada.email, ada.org, ada.department) == (
        "ada@lantern.example",
        "Lantern Works",
        "Engines",
    )
    assert ada.note == "Met in 1833, at a party.\nLikes engines."
    assert [(it.number, it.kind) for it in ada.phones.order_by("position")] == [
        ("+44 20 7946 0001", "mobile"), ("+44 20 7946 0002", "fax"),
    ]  # fmt: skip
    assert {it["name"] for it in ada.vcard_properties} >= {"PHOTO", "BDAY", "URL", "UID"}
    assert Correspondence.objects.filter(person=ada, account=book.source.account).exists()


def test_a_change_here_changes_its_lines_and_no_other(book, actor):
    [key] = keep(book, cards.APPLE)
    ada = Person.objects.get(pk=key)
    changes = CardChanges(title="Countess", family_name="Lovelace", phones={"fax": ["+44 1"]})
    update_contact(actor=actor, person=ada, changes=changes)
    before, after = lines(cards.APPLE), lines(written(book, key))
    assert set(before) - set(after) == {
        "N:Byron;Ada;Augusta;Dr.;", "FN:Dr. Ada Augusta Byron", "TITLE:Analyst",
        "TEL;type=WORK;type=FAX:+44 20 7946 0002",
    }  # fmt: skip
    assert [line for line in after if line not in before] == [
        "N:Lovelace;Ada;Augusta;Dr.;", "FN:Dr. Ada Augusta Lovelace", "TITLE:Countess",
        "TEL;TYPE=FAX:+44 1",
    ]  # fmt: skip


def test_an_address_comes_and_goes_with_its_label(book, actor):
    [key] = keep(book, cards.APPLE)
    emails = [CardEmail("ada@home.example", kind="work"), CardEmail("new@ada.example")]
    update_contact(
        actor=actor, person=Person.objects.get(pk=key), changes=CardChanges(emails=emails)
    )
    after = [line for line in lines(written(book, key)) if "EMAIL" in line or "item1" in line]
    assert after == [
        "EMAIL;type=INTERNET;TYPE=WORK:ada@home.example", "EMAIL:new@ada.example",
    ]  # fmt: skip


@in_one_test(
    ("raw", "preferred"),
    [
        (cards.APPLE, "EMAIL;type=INTERNET;type=HOME;TYPE=pref:ada@home.example"),
        (cards.NEXTCLOUD, "EMAIL;TYPE=HOME;PREF=1:juergen@privat.example"),
    ],
)
def test_another_address_is_preferred(book, actor, raw, preferred):
    [key] = keep(book, raw)
    first, second = PersonEmail.objects.filter(person=key).order_by("position")
    swapped = [CardEmail(second.email, kind=second.kind), CardEmail(first.email, kind=first.kind)]
    update_contact(
        actor=actor, person=Person.objects.get(pk=key), changes=CardChanges(emails=swapped)
    )
    after = written(book, key)
    assert preferred in lines(after)
    assert read(after) == found(book, key)


def test_what_changes_there_is_changed_here_and_nothing_else(book):
    [key] = keep(book, cards.GOOGLE)
    PersonEmail.objects.filter(email="grace@other.example").update(by_person=False)
    Person.objects.filter(pk=key).update(note="ours")
    raw = cards.GOOGLE.replace(b"TITLE:CTO", b"TITLE:CEO").replace(b"+1 555 0101", b"+1 555 0199")
    keep_again(book, key, raw)
    grace = Person.objects.get(pk=key)
    assert (grace.title, grace.note) == ("CEO", "ours")
    assert [it.number for it in grace.phones.order_by("position")] == ["+1 555 0100", "+1 555 0199"]
    assert not PersonEmail.objects.get(email="grace@other.example").by_person


@in_one_test(
    "raw", [cards.GROUP, b"BEGIN:VCARD\r\nVERSION:4.0\r\nKIND:group\r\nFN:a\r\nEND:VCARD\r\n"]
)
def test_the_card_of_a_group_is_nobodys(raw):
    with pytest.raises(UnfitItemError) as refused:
        read(raw)
    assert str(refused.value) == ""


@in_one_test("raw", [b"", b"BEGIN:VCARD\r\nFN:a\r\n", b"BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"])
def test_what_is_no_card_is_unfit(raw):
    with pytest.raises(UnfitItemError, match=r"."):
        read(raw)


# -- whose an address is ---------------------------------------------------------------------------
def test_a_card_is_theirs_whom_mail_brought(inbox, book):
    contact = Contact("ada@home.example", "Ada", factories.NOON, outbound=False)
    record_contacts(
        workspace_id=inbox.workspace_id, account_id=inbox.account_id, contacts=[contact]
    )
    met = Person.objects.get()
    [key] = keep(book, cards.APPLE)
    assert (key, Person.objects.get().received_count) == (str(met.pk), 1)
    assert found(book, key) == read(cards.APPLE)


def test_two_whom_mail_brought_are_one_by_their_card(inbox, book):
    for email in ("ada@home.example", "ada@lantern.example"):
        contact = Contact(email, "Miss Ada", factories.NOON, outbound=True)
        record_contacts(
            workspace_id=inbox.workspace_id, account_id=inbox.account_id, contacts=[contact]
        )
    [key] = keep(book, cards.APPLE)
    ada = Person.objects.get()
    assert (ada.sent_count, ada.fn, str(ada.pk)) == (2, "Dr. Ada Augusta Byron", key)
    assert found(book, key) == read(cards.APPLE)


def test_a_contact_of_this_account_gets_its_card_and_keeps_what_only_we_know(inbox, book, actor):
    changes = CardChanges(
        given_name="Ada", note="owes us a book", emails=[CardEmail("ada@home.example")],
        phones={"home": ["+44 1"]},
    )  # fmt: skip
    known = create_contact(actor=actor, account=inbox.account, changes=changes)
    [key] = keep(book, cards.APPLE)
    known.refresh_from_db()
    assert key == str(known.pk)
    assert known.note == "Met in 1833, at a party.\nLikes engines.\n\nowes us a book"
    assert "tel/+44 1" in found(book, key)


def test_two_cards_with_one_address_are_two_people_and_neither_loses_it(inbox, book, actor):
    other = make_collection(inbox.account, "contacts", name="Work")
    one, two = (
        cards.card("Ada", "EMAIL:x@y.example"),
        cards.card("Bob", "EMAIL:x@y.example", "EMAIL:bob@y.example"),
    )
    [first], [second] = keep(book, one), keep(other, two)
    assert first != second
    assert PersonEmail.objects.get(email="x@y.example").person_id == int(first)
    assert (found(book, first), found(other, second)) == (read(one), read(two))
    assert (written(book, first), written(other, second)) == (one, two)
    # What is changed there does not take it from the first, nor is it taken off the second.
    two = two.replace(b"END:", b"TITLE:Clerk\r\nEND:")
    keep_again(other, second, two)
    assert found(other, second) == read(two)
    update_contact(
        actor=actor, person=Person.objects.get(pk=second), changes=CardChanges(title="Chief")
    )
    assert written(other, second) == two.replace(b"Clerk", b"Chief")
    assert found(book, first) == read(one)


def test_a_card_that_moves_to_another_book_keeps_its_address(inbox, book):
    other = make_collection(inbox.account, "contacts", name="Work")
    raw = cards.card("Ada", "EMAIL:x@y.example")
    [first], [second] = keep(book, raw), keep(other, raw)
    keeper_of("contacts").remove(book, [first])
    share_out_addresses(person_ids=[int(first)])
    row = PersonEmail.objects.get()
    assert (row.person_id, row.by_person) == (int(second), True)
    assert (Person.objects.get(pk=second).email, found(other, second)) == ("x@y.example", read(raw))
    assert not SharedAddress.objects.exists()


def test_two_cards_of_one_batch_share_an_address(book):
    raws = [cards.card(name, "EMAIL:x@y.example") for name in ("Ada", "Bob")]
    keys = keep(book, *raws)
    assert [found(book, key) for key in keys] == [read(raw) for raw in raws]
    assert SharedAddress.objects.get().person_id == int(keys[1])


def test_merging_two_keeps_what_they_shared(inbox, book, actor):
    raws = [cards.card("Ada", "EMAIL:x@y.example"), cards.card("Bob", "EMAIL:x@y.example")]
    first, second = (Person.objects.get(pk=key) for key in keep(book, *raws))
    merge_people(actor=actor, into=second, other=first)
    assert "email/x@y.example" in found(book, str(second.pk))


def test_a_book_that_others_write_vouches_for_nobody(inbox, book):
    shared = make_collection(inbox.account, "contacts", is_own=False)
    keep(shared, cards.GOOGLE)
    keep(book, cards.APPLE)
    by_person = dict(PersonEmail.objects.values_list("email", "by_person"))
    assert by_person == {
        "grace@customer.example": False, "grace@other.example": False,
        "ada@lantern.example": True, "ada@home.example": True,
    }  # fmt: skip


def test_an_address_that_an_agent_added_is_not_known_by_a_sync(inbox, book, actor):
    [key] = keep(book, cards.GOOGLE)
    emails = [CardEmail("grace@customer.example"), CardEmail("grace@elsewhere.example")]
    person = Person.objects.get(pk=key)
    update_contact(actor=actor, person=person, changes=CardChanges(emails=emails))
    keep_again(book, key, written(book, key).replace(b"CTO", b"CEO"))
    assert not PersonEmail.objects.get(email="grace@elsewhere.example").by_person


# -- deleting --------------------------------------------------------------------------------------
def test_who_is_deleted_here_is_not_found_and_comes_back(book, actor):
    [key] = keep(book, cards.GOOGLE)
    grace = Person.objects.get(pk=key)
    delete_contact(actor=actor, person=grace)
    assert keeper_of("contacts").find(book, [key]) == {}
    restore_contact(actor=actor, person=grace)
    assert found(book, key) == read(cards.GOOGLE)


def test_a_card_that_is_gone_deletes_softly_and_says_so(book):
    [key] = keep(book, cards.GOOGLE)
    keeper_of("contacts").remove(book, [key])
    assert Person.objects.get(pk=key).deleted_at is not None
    told = Job.objects.filter(kind="contacts.share_out_deleted").get()
    assert told.payload == {"person_ids": [int(key)]}
    # One that was changed there meanwhile stands again.
    assert keeper_of("contacts").keep(book, [incoming(cards.GOOGLE, key)]) == [key]
    assert found(book, key) == read(cards.GOOGLE)


def test_a_batch_takes_as_many_queries_as_one_card(book, django_assert_max_num_queries):
    raws = [cards.card(f"A{at}", f"EMAIL:a{at}@y.example", f"TEL:{at}") for at in range(60)]
    with django_assert_max_num_queries(50):
        keep(book, *raws[:1])
    keeper = keeper_of("contacts")
    with django_assert_max_num_queries(30):
        keeper.keep(book, [incoming(raw) for raw in raws[1:]])


def incoming(raw, key=""):
    fields = read(raw)
    return Incoming(key, fields, frozenset(fields), raw)


# -- marking ---------------------------------------------------------------------------------------
def marked(book):
    return sorted(book.items.filter(dirty=True).values_list("key", flat=True))


def test_what_changes_here_is_marked_and_what_a_sync_wrote_is_not(book, actor):
    kept, changed, gone = keep(book, cards.APPLE, cards.GOOGLE, cards.NEXTCLOUD)
    run_jobs_but_syncs()
    assert marked(book) == []
    update_contact(
        actor=actor, person=Person.objects.get(pk=changed), changes=CardChanges(title="Chief")
    )
    delete_contact(actor=actor, person=Person.objects.get(pk=gone))
    run_jobs_but_syncs()
    assert marked(book) == sorted([changed, gone])
    assert kept not in marked(book)


def test_a_new_contact_goes_to_the_first_book_of_ones_own(inbox, book, actor):
    others = make_collection(inbox.account, "contacts", is_own=False)
    own = make_collection(inbox.account, "contacts")
    for one in (others, own):
        one.first_done_at = factories.NOON
        one.save()
    ada = create_contact(actor=actor, account=inbox.account, changes=CardChanges(given_name="Ada"))
    run_jobs_but_syncs()
    # The first was not read yet: her card may come from there.
    assert [marked(one) for one in (book, others, own)] == [[], [], [str(ada.pk)]]
    assert own.items.get().href is None


# -- made up ---------------------------------------------------------------------------------------
words = st.text("aB ä丽😀,;:\\\"^'=.", max_size=20).map(lambda text: " ".join(text.split()))
addresses = st.from_regex(r"[a-z0-9]{1,10}@[a-z]{1,8}\.example", fullmatch=True)
phone_numbers = st.from_regex(r"\+[0-9]{1,14}", fullmatch=True)


@st.composite
def card_fields(draw):
    """Fields as somebody's rows may have them."""
    names = [
        "given_name", "family_name", "additional_names", "name_prefix", "name_suffix", "org",
        "department", "title",
    ]  # fmt: skip
    fields = {name: draw(words) for name in names}
    fields["fn"] = draw(words.filter(bool))
    if not fields["given_name"] and not fields["family_name"]:
        fields["given_name"] = fields["fn"]
    fields["note"] = "\n".join(draw(st.lists(words.filter(bool), max_size=3)))
    emails = draw(st.dictionaries(addresses, st.sampled_from(["work", "home", ""]), max_size=3))
    fields["email"] = draw(st.sampled_from(sorted(emails))) if emails else ""
    fields |= {f"email/{email}": kind for email, kind in emails.items()}
    kinds = st.sampled_from(["business", "home", "mobile", "fax", "other"])
    fields |= {
        f"tel/{it}": kind
        for it, kind in draw(st.dictionaries(phone_numbers, kinds, max_size=3)).items()
    }
    known = st.sampled_from(["BDAY", "URL", "X-A", "ADR"])
    fields["properties"] = [
        {"name": name, "value": "1", "params": {"TYPE": ["home"]}, "group": ""}
        for name in sorted(draw(st.sets(known)))
    ]
    return fields


@settings(max_examples=made_up(120))
@given(card_fields())
def test_a_card_made_here_reads_as_it_was_written(fields):
    raw = keeper_of("contacts").write(b"", fields, frozenset(fields), "uid-1")
    assert read(raw) == fields
    assert b"UID:uid-1\r\n" in raw


@settings(max_examples=made_up(120))
@given(st.sampled_from([cards.APPLE, cards.GOOGLE, cards.NEXTCLOUD, cards.OUTLOOK]), card_fields())
def test_a_card_changed_in_every_field_reads_so_and_keeps_what_we_do_not_know(raw, fields):
    before = read(raw)
    wanted = fields | {"properties": before["properties"]}
    changed = frozenset(
        it for it in before.keys() | wanted.keys() if before.get(it) != wanted.get(it)
    )
    after = keeper_of("contacts").write(raw, wanted, changed, "")
    assert read(after) == wanted
    unknown = [
        line
        for line in lines(raw)
        if line.startswith(("PHOTO", "BDAY", "X-S", "GEO", "item2", "item3"))
    ]
    assert [line for line in lines(after) if line in unknown] == unknown
