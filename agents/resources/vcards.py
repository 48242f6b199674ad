"""People as vCards."""

from agents.contracts.fields import Closed
from agents.dispatching.rows import get_row
from agents.resources.collection import resource
from agents.tools.shapes import Id
from inbox.actor import Actor
from inbox.models import Person
from inbox.operations.contacts.vcards import with_card_rows


class OnePerson(Closed):
    """Whose card."""

    person_id: Id


class VCardName(Closed):
    """Whose card was handed out."""

    id: Id
    fn: str


@resource(domain="storage")
def read_person_vcard(actor: Actor, args: OnePerson) -> VCardName:
    """`GET /api/v1/people/{person_id}/vcard`: somebody's card as vCard 4.0 (RFC 6350)."""
    row = find_card(actor, args.person_id)
    return VCardName(id=row.public_id, fn=row.fn)


def find_card(actor: Actor, person_id: str) -> Person:
    """Return somebody whom the caller may see, with addresses and numbers."""
    rows = with_card_rows(actor, Person.objects.visible_to(actor).kept())
    return get_row(rows, person_id, "person", "/person_id")
