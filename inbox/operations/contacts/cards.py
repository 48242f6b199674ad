"""What a card of somebody may say, checked before anything is written."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from inbox.errors import invalid
from inbox.models import Person, PhoneKind
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import check_address
from inbox.rfc5322.text.unicode_text import clean, clean_line

MOST_ADDRESSES = MOST_PHONES = 50
LONGEST_NOTE = 20_000
# What a card says beside addresses and telephones.
TEXTS = (
    "fn", "given_name", "family_name", "additional_names", "name_prefix", "name_suffix", "org",
    "department", "title", "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CardEmail:
    """An address on a card, with a name and a kind of its own where it has them.

    `stays`: it is named only so that it stays, and whoever changes the card does not vouch for it.
    """

    email: str
    name: str = ""
    kind: str = ""
    stays: bool = False


@dataclass(frozen=True, slots=True)
class CardChanges:
    """What a card is to say; None leaves as is.

    `phones` has the numbers of each kind that changes, all of them anew; so has `emails`.
    """

    fn: str | None = None
    given_name: str | None = None
    family_name: str | None = None
    additional_names: str | None = None
    name_prefix: str | None = None
    name_suffix: str | None = None
    org: str | None = None
    department: str | None = None
    title: str | None = None
    note: str | None = None
    emails: Sequence[CardEmail] | None = None
    phones: Mapping[str, Sequence[str]] = field(default_factory=dict)
    vcard_properties: list[dict[str, Any]] | None = None

    @property
    def texts(self) -> dict[str, str]:
        """The columns of plain text that change."""
        given = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: given[name] for name in TEXTS if given[name] is not None}


def check_card(changes: CardChanges) -> CardChanges:
    """Return the changes as they are stored: texts on one line, addresses in lower case and once.

    Raises DomainError `invalid_input`.
    """
    texts: dict[str, Any] = {name: _check_text(name, text) for name, text in changes.texts.items()}
    emails = None if changes.emails is None else _check_emails(changes.emails)
    phones = {kind: _check_phones(kind, numbers) for kind, numbers in changes.phones.items()}
    return replace(changes, **texts, emails=emails, phones=phones)


def longest_of(name: str) -> int:
    """Return how many characters a column of a card takes."""
    column: Any = Person._meta.get_field(name)
    return int(column.max_length)


def _check_text(name: str, text: str) -> str:
    if name != "note":
        return _plain_line(name, text, longest_of(name))
    note, hides = clean(text)
    if hides or "\x00" in text or len(note) > LONGEST_NOTE:
        accepted = f"plain text of at most {LONGEST_NOTE} characters"
        raise invalid(name, _("It could not be saved."), accepted)
    return note


def _plain_line(name: str, text: str, longest: int) -> str:
    """Return a line with single blanks; raises where it would not show all that it holds."""
    line, hides = clean_line(text)
    if hides or any(unicodedata.category(letter) in {"Cc", "Cs"} for letter in text):
        raise invalid(
            name,
            _("It contains line breaks, control characters or hidden characters."),
            _("plain text"),
        )
    if len(line) > longest:
        raise invalid(
            name,
            _("It has %(count)s characters.", count=len(line)),
            _("at most %(longest)s", longest=longest),
        )
    return line


def _check_emails(emails: Sequence[CardEmail]) -> list[CardEmail]:
    if len(emails) > MOST_ADDRESSES:
        raise invalid(
            "emails",
            _("%(count)s addresses.", count=len(emails)),
            _("at most %(most)s", most=MOST_ADDRESSES),
        )
    checked: dict[str, CardEmail] = {}
    for place, one in enumerate(emails):
        try:
            address = check_address(one.email).lower()
        except ValueError as error:
            raise invalid(
                f"emails/{place}", _("%(error)s.", error=of_error(error)), "name@host.example"
            ) from error
        name = _plain_line(f"emails/{place}", one.name, 300)
        checked.setdefault(address, CardEmail(address, name, one.kind[:20], one.stays))
    return list(checked.values())


def _check_phones(kind: str, numbers: Sequence[str]) -> list[str]:
    if kind not in PhoneKind.values or len(numbers) > MOST_PHONES:
        raise invalid(
            f"phones/{kind}",
            _("%(count)s numbers.", count=len(numbers)),
            _("at most %(most)s", most=MOST_PHONES),
        )
    lines = [_plain_line(f"phones/{kind}", number, 60) for number in numbers]
    return list(dict.fromkeys(filter(None, lines)))
