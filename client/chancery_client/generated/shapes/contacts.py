"""What the tools of contacts take and give.

Made by `python manage.py reference`; change the declarations instead.
"""

from typing import Literal, NotRequired, TypedDict


class ContactListAnswerEmailAddresses(TypedDict):
    address: str
    """The address."""
    name: NotRequired[str]
    """The name."""


class ContactListAnswer(TypedDict):
    _cache_status: Literal["fresh", "stale", "miss"]
    """`miss`: the provider was asked just now; `stale`: it will be."""
    _cached_at: str
    """When the provider was asked last."""
    id: str
    """Its id."""
    displayName: str
    """The name as it is shown."""
    givenName: str
    """The first name."""
    surname: str
    """The last name."""
    emailAddresses: list[ContactListAnswerEmailAddresses]
    """Their addresses."""
    businessPhones: list[str]
    """Telephone numbers at work."""
    homePhones: list[str]
    """Telephone numbers at home."""
    mobilePhone: NotRequired[str]
    """The mobile number."""
    jobTitle: str
    """What they are there."""
    companyName: str
    """Where they work."""
    department: str
    """Of what department they are."""


class ContactCreatePhoneNumbers(TypedDict):
    business: NotRequired[str]
    """A telephone number at work."""
    home: NotRequired[str]
    """A telephone number at home."""
    mobile: NotRequired[str]
    """A mobile number."""


class ContactCreateAnswer(TypedDict):
    id: str
    """Its id."""
    displayName: str
    """The name as it is shown."""
    givenName: str
    """The first name."""
    surname: str
    """The last name."""
    emailAddresses: list[ContactListAnswerEmailAddresses]
    """Their addresses."""
    businessPhones: list[str]
    """Telephone numbers at work."""
    homePhones: list[str]
    """Telephone numbers at home."""
    mobilePhone: NotRequired[str]
    """The mobile number."""
    jobTitle: str
    """What they are there."""
    companyName: str
    """Where they work."""
    department: str
    """Of what department they are."""


class ContactUpdateUpdatesEmailAddresses(TypedDict):
    address: str
    """The address."""
    name: NotRequired[str]
    """The name."""


class ContactUpdateUpdates(TypedDict):
    givenName: NotRequired[str]
    """The first name."""
    surname: NotRequired[str]
    """The last name."""
    displayName: NotRequired[str]
    """The name as it is shown."""
    emailAddresses: NotRequired[list[str | ContactUpdateUpdatesEmailAddresses]]
    """All addresses, anew."""
    businessPhones: NotRequired[list[str]]
    """All telephone numbers at work, anew."""
    homePhones: NotRequired[list[str]]
    """All telephone numbers at home, anew."""
    mobilePhone: NotRequired[str | None]
    """The mobile number."""
    jobTitle: NotRequired[str]
    """What they are there."""
    companyName: NotRequired[str]
    """Where they work."""
    department: NotRequired[str]
    """Of what department they are."""


class ContactDeleteAnswer(TypedDict):
    status: NotRequired[Literal["deleted"]]
    """Where it stands."""
