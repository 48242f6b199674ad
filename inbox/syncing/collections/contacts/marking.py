"""What was changed of people whose cards lie at a server, marked to be told there."""

from collections import defaultdict

from inbox.background.jobs import Payload, subscribe
from inbox.models import Correspondence, Person, RemoteCollection, RemoteItem
from inbox.syncing.collections.marking import mark_changed


@subscribe("person.changed", "contacts.mark_changed")
def mark_changed_people(payload: Payload) -> None:
    """Have servers told of what changed of people, and of contacts that are new."""
    told = _mark_known(payload["person_ids"])
    _mark_new([key for key in payload["person_ids"] if key not in told])


@subscribe("person.deleted", "contacts.mark_deleted")
def mark_deleted_people(payload: Payload) -> None:
    """Have servers told of people who were deleted."""
    _mark_known(payload["person_ids"])


def _mark_known(people: list[int]) -> set[int]:
    """Mark who has a card somewhere; return them."""
    rows = RemoteItem.objects.filter(
        collection__kind="contacts", key__in=[str(key) for key in people]
    )
    by_book: dict[int, list[str]] = defaultdict(list)
    for collection, key in rows.values_list("collection", "key"):
        by_book[collection].append(key)
    _mark(by_book)
    return {int(key) for keys in by_book.values() for key in keys}


def _mark_new(people: list[int]) -> None:
    """Mark contacts who have no card at a server: each goes to the first book that takes them.

    That is a book of a person's own which was read before, and may be written, of an account that
    has met them. Whom only mail brought is no contact.
    """
    contacts = [
        one.pk for one in Person.objects.kept().filter(pk__in=people) if one.is_contact
    ]  # fmt: skip
    if not contacts:
        return
    accounts: dict[int, list[int]] = defaultdict(list)
    met = Correspondence.objects.filter(person__in=contacts).values_list("account", "person")
    for account, person in met:
        accounts[account].append(person)
    books = RemoteCollection.objects.filter(
        kind="contacts", source__account__in=accounts, is_taken=True, is_own=True,
        first_done_at__isnull=False,
    ).select_related("source")  # fmt: skip
    by_book: dict[int, list[str]] = defaultdict(list)
    placed: set[int] = set()
    for book in books.order_by("pk"):
        for person in accounts[book.source.account_id] if book.may_write else ():
            if person not in placed:
                placed.add(person)
                by_book[book.pk].append(str(person))
    _mark(by_book)


def _mark(by_book: dict[int, list[str]]) -> None:
    rows = RemoteCollection.objects.filter(pk__in=by_book, is_taken=True)
    for collection in rows.select_related("source__account"):
        mark_changed(collection, by_book[collection.pk])
