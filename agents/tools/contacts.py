"""The address book of an account, in the names of Microsoft Graph."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import ConfigDict, Field, RootModel, StringConstraints, model_validator
from pydantic.alias_generators import to_camel

from agents.approval.plan import Plan
from agents.contracts import Effect, tool
from agents.contracts.fields import WHOLE, Closed, Confirmed, Maybe, OrAbsent
from agents.dispatching.rows import get_account, get_row
from agents.tools.cached import Cached, ForceRefresh, UseCache, cache_fields, consult_for, measured
from agents.tools.shapes import AccountId, EmailText
from inbox.actor import Actor
from inbox.errors import DomainError
from inbox.flags import Finding, found
from inbox.models import Account, Person, PhoneKind
from inbox.models.people import PersonQuerySet
from inbox.operations.contacts.address_changes import find_address_change
from inbox.operations.contacts.cards import CardChanges, CardEmail, check_card
from inbox.operations.contacts.contacts import create_contact, delete_contact, update_contact
from inbox.operations.contacts.mirrored_cards import check_card_writable
from inbox.operations.contacts.vcards import with_card_rows
from inbox.syncing.mirror import Freshness

ContactId: TypeAlias = Annotated[str, Field(description="The contact, as contact_list names it.")]
_Number: TypeAlias = Annotated[str, StringConstraints(min_length=1)]
_GRAPH = ConfigDict(alias_generator=to_camel)
_ID, _ACCOUNT = "per_8fXoQ2mKpL", "acc_8fXoQ2mKpL"


class ContactEmail(Closed):
    """An address, and the name that goes with it."""

    address: str
    name: OrAbsent[str] = None


class Contact(Closed):
    """Somebody's card."""

    model_config = _GRAPH

    id: str
    display_name: str
    given_name: str
    surname: str
    email_addresses: list[ContactEmail]
    business_phones: list[str]
    home_phones: list[str]
    mobile_phone: OrAbsent[str] = None
    job_title: str
    company_name: str
    department: str


class CachedContact(Contact, Cached):
    """Somebody's card, as the mirror of the account has it."""


class ContactPage(RootModel[list[CachedContact]]):
    """Contacts, newest first."""


class ContactList(Closed):
    """Whose address book."""

    account_id: AccountId
    limit: Annotated[int, Field(ge=1, le=500), WHOLE] = 50
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


@tool(
    family="operations",
    domain="storage",
    effect=Effect.READ,
    unified=[("list", "contacts")],
    example={"account_id": _ACCOUNT, "limit": 50},
)
def contact_list(actor: Actor, args: ContactList) -> ContactPage:
    """List the contacts of an account, those known last first: cards, and whom mail brought."""
    account = get_account(actor, args.account_id)
    found = consult_for(args, account, "contact_list")
    rows = _contacts_of(actor, account).order_by("-correspondences__person")[: args.limit]
    return measured(found, ContactPage([_cached(row, found) for row in rows]))


class ContactGet(Closed):
    """Which contact."""

    contact_id: ContactId
    account_id: AccountId
    use_cache: UseCache = True
    force_refresh: ForceRefresh = False


@tool(
    family="operations",
    domain="storage",
    effect=Effect.READ,
    unified=[("get", "contact")],
    example={"contact_id": _ID, "account_id": _ACCOUNT},
)
def contact_get(actor: Actor, args: ContactGet) -> CachedContact:
    """Get one contact whole: names, addresses, telephones and work."""
    account = get_account(actor, args.account_id)
    person = _get_contact(actor, account, args.contact_id)
    found = consult_for(args, account, "contact", person.public_id)
    if found.status == "miss":
        # Its server was asked just now.
        person = _get_contact(actor, account, args.contact_id)
    return measured(found, _cached(person, found))


class PhoneNumbers(Closed):
    """One number of a kind."""

    business: Maybe[str] = None
    home: Maybe[str] = None
    mobile: Maybe[str] = None


class ContactCreate(Closed):
    """Who it is."""

    account_id: AccountId
    given_name: str
    surname: Maybe[str] = None
    email_addresses: Maybe[EmailText | list[EmailText]] = None
    phone_numbers: Maybe[PhoneNumbers] = None


@dataclass(frozen=True)
class CardPlan(Plan[Contact]):
    """A card that is written for somebody, or changed; `person` is None for a new one."""

    actor: Actor
    account: Account
    changes: CardChanges
    person: Person | None
    # Says errors of the domain by the names of the call's own arguments.
    worded: Callable[[DomainError], DomainError]

    @property
    def touches(self) -> Sequence[Finding]:
        """The addresses that it puts on, or takes off, the card of somebody whom we wrote with."""
        change = find_address_change(
            actor=self.actor, workspace_id=self.account.workspace_id, person=self.person,
            emails=[one.email for one in self.changes.emails or ()],
        )  # fmt: skip
        if change is None or self.changes.emails is None:
            return ()
        named = {"address": change.known}
        return (
            *(found("address_changed", "added", excerpt=it, **named) for it in change.added),
            *(found("address_changed", "removed", excerpt=it, **named) for it in change.removed),
        )

    def apply(self) -> Contact:
        """Write the card."""
        try:
            if self.person is None:
                written = create_contact(
                    actor=self.actor, account=self.account, changes=self.changes
                )
            else:
                written = update_contact(actor=self.actor, person=self.person, changes=self.changes)
        except DomainError as error:
            raise self.worded(error) from error
        return Contact(**_fields(_get_contact(self.actor, self.account, written.public_id)))


def _plan(plan: CardPlan) -> CardPlan:
    """Return the plan with what the card is to say checked; raises DomainError."""
    try:
        return replace(plan, changes=check_card(plan.changes))
    except DomainError as error:
        raise plan.worded(error) from error


@tool(
    family="operations",
    domain="storage",
    effect=Effect.WRITE,
    writes="per",
    unified=[("create", "contact")],
    example={
        "account_id": _ACCOUNT,
        "given_name": "Ada",
        "surname": "Byron",
        "email_addresses": ["ada@customer.example"],
        "phone_numbers": {"mobile": "+49 170 5550100"},
    },
)
def contact_create(actor: Actor, args: ContactCreate) -> CardPlan:
    """Write a card for somebody; whom mail brought with one of the addresses gets it.

    An address is one contact's: one that is on another card is a conflict, which names the contact.
    A further address of somebody whom we have written with waits for a person, unless a policy says
    otherwise.
    """
    account = get_account(actor, args.account_id)
    given = args.email_addresses
    addresses = [given] if isinstance(given, str) else given or []
    numbers = args.phone_numbers.model_dump(exclude_none=True) if args.phone_numbers else {}
    changes = CardChanges(
        given_name=args.given_name, family_name=args.surname,
        emails=[CardEmail(address) for address in addresses],
        phones={kind: [number] for kind, number in numbers.items()},
    )  # fmt: skip
    worded = partial(_as_created, alone=isinstance(given, str))
    return _plan(CardPlan(actor, account, changes, None, worded))


class ContactEmailInput(Closed):
    """An address, and the name that goes with it."""

    address: EmailText
    name: Maybe[str] = None


class ContactUpdates(Closed):
    """What of a card changes; lists are all of their kind anew."""

    model_config = ConfigDict(alias_generator=to_camel, json_schema_extra={"minProperties": 1})

    given_name: Maybe[str] = None
    surname: Maybe[str] = None
    display_name: Maybe[str] = None
    email_addresses: Maybe[list[EmailText | ContactEmailInput]] = None
    business_phones: Maybe[list[_Number]] = None
    home_phones: Maybe[list[_Number]] = None
    # Null takes the number away.
    mobile_phone: _Number | None = None
    job_title: Maybe[str] = None
    company_name: Maybe[str] = None
    department: Maybe[str] = None

    @model_validator(mode="after")
    def _changes_something(self) -> "ContactUpdates":
        if not self.model_fields_set:
            raise ValueError("gives nothing to change")
        return self


class ContactUpdate(Closed):
    """Which contact, and what of its card changes."""

    contact_id: ContactId
    updates: ContactUpdates
    account_id: AccountId


@tool(
    family="operations",
    domain="storage",
    effect=Effect.WRITE,
    writes="per",
    unified=[("update", "contact")],
    example={
        "contact_id": _ID,
        "updates": {"jobTitle": "Engineer", "companyName": "Customer"},
        "account_id": _ACCOUNT,
    },
)
def contact_update(actor: Actor, args: ContactUpdate) -> CardPlan:
    """Change what is given of a contact; addresses and numbers are replaced as whole lists.

    An address is one contact's: one that is on another card is a conflict. Another address for
    somebody whom we have written with waits for a person, unless a policy says otherwise.
    """
    account = get_account(actor, args.account_id)
    person = _get_contact(actor, account, args.contact_id)
    check_card_writable(person)
    return _plan(CardPlan(actor, account, _changes(args.updates), person, _as_updated))


class DeletedContact(Closed):
    """It is deleted."""

    status: Literal["deleted"] = "deleted"


class ContactDelete(Closed):
    """Which contact."""

    contact_id: ContactId
    account_id: AccountId
    # The contract prints this default, which is none that would be taken.
    confirm: Annotated[Confirmed, Field(json_schema_extra={"default": False})]


@tool(
    family="operations",
    domain="storage",
    effect=Effect.DESTROY,
    unified=[("delete", "contact")],
    example={"contact_id": _ID, "account_id": _ACCOUNT, "confirm": True},
)
def contact_delete(actor: Actor, args: ContactDelete) -> DeletedContact:
    """Delete a contact; a person can restore it for 30 days."""
    person = _get_contact(actor, get_account(actor, args.account_id), args.contact_id)
    delete_contact(actor=actor, person=person)
    return DeletedContact()


# -- rows and shapes -------------------------------------------------------------------------------
def _contacts_of(actor: Actor, account: Account) -> PersonQuerySet:
    rows = Person.objects.visible_to(actor).kept().filter(correspondences__account=account)
    return with_card_rows(actor, rows)


def _get_contact(actor: Actor, account: Account, contact_id: str) -> Person:
    return get_row(_contacts_of(actor, account), contact_id, "contact", "/contact_id")


def _cached(person: Person, found: Freshness) -> CachedContact:
    return CachedContact(**_fields(person), **cache_fields(found))


def _fields(person: Person) -> dict[str, Any]:
    numbers: dict[str, list[str]] = {}
    for phone in person.phones.all():
        numbers.setdefault(phone.kind, []).append(phone.number)
    mobiles = numbers.get(PhoneKind.MOBILE, [])
    return {
        "id": person.public_id,
        "display_name": person.fn,
        "given_name": person.given_name,
        "surname": person.family_name,
        "email_addresses": [
            ContactEmail(address=row.email, name=row.name or None) for row in person.emails.all()
        ],
        "business_phones": numbers.get(PhoneKind.BUSINESS, []),
        "home_phones": numbers.get(PhoneKind.HOME, []),
        "mobile_phone": mobiles[0] if mobiles else None,
        "job_title": person.title,
        "company_name": person.org,
        "department": person.department,
    }


def _changes(updates: ContactUpdates) -> CardChanges:
    phones: dict[str, list[str]] = {}
    if updates.business_phones is not None:
        phones["business"] = updates.business_phones
    if updates.home_phones is not None:
        phones["home"] = updates.home_phones
    if "mobile_phone" in updates.model_fields_set:
        phones["mobile"] = [updates.mobile_phone] if updates.mobile_phone else []
    given = updates.email_addresses
    return CardChanges(
        given_name=updates.given_name, family_name=updates.surname, fn=updates.display_name,
        title=updates.job_title, org=updates.company_name, department=updates.department,
        emails=None if given is None else [_as_email(one) for one in given], phones=phones,
    )  # fmt: skip


def _as_email(given: str | ContactEmailInput) -> CardEmail:
    if isinstance(given, str):
        return CardEmail(given)
    return CardEmail(given.address, given.name or "")


# The fields of a card as the two calls name them.
_CREATED = {"family_name": "surname", "emails": "email_addresses", "phones": "phone_numbers"}
_UPDATED = {
    "given_name": "givenName", "family_name": "surname", "fn": "displayName", "title": "jobTitle",
    "org": "companyName", "emails": "emailAddresses",
}  # fmt: skip
_PHONES = {"business": "businessPhones", "home": "homePhones", "mobile": "mobilePhone"}


def _as_created(error: DomainError, *, alone: bool) -> DomainError:
    name, _, below = error.field.partition("/")
    field = _CREATED.get(name, name)
    if below and not (alone and name == "emails"):
        field += f"/{below}"
    return DomainError(error.code, error.message, field=field, accepted=error.accepted)


def _as_updated(error: DomainError) -> DomainError:
    name, _, below = error.field.partition("/")
    if name == "contact_id":
        return error
    field = _PHONES.get(below, below) if name == "phones" else _UPDATED.get(name, name)
    if below and name == "emails":
        field += f"/{below}"
    return DomainError(error.code, error.message, field=f"updates/{field}", accepted=error.accepted)
