"""Cards that lie at a server as well, and whether they may be changed here."""

from inbox.errors import DomainError
from inbox.models import Person, RemoteCollection, RemoteItem
from inbox.reasons import phrase as _


def check_card_writable(person: Person) -> None:
    """Raise DomainError `permission_denied` for somebody whose card is only read from its server.

    One whose card lies in another address book as well may be changed, and is there.
    """
    taken = RemoteCollection.objects.filter(workspace=person.workspace_id, kind="contacts")
    books = {book.pk: book for book in taken.filter(is_taken=True).select_related("source")}
    if not books:
        return
    items = RemoteItem.objects.filter(collection__in=books, key=str(person.pk), gone=False)
    holding = [books[key] for key in items.values_list("collection", flat=True)]
    if not holding or any(book.may_write for book in holding):
        return
    words = _(
        "The address book %(name)s is read-only here. Change it at its source.",
        name=holding[0].name,
    )
    raise DomainError("permission_denied", words, field="contact_id")
