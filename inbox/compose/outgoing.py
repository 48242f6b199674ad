"""What may stand in a message of ours: recipients, a subject, a text; pure."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import regex

from inbox.errors import invalid
from inbox.languages import any_of, lazy_regex
from inbox.reasons import of_error
from inbox.reasons import phrase as _
from inbox.rfc5322.addresses.parsing import check_address

Recipient: TypeAlias = str | Mapping[str, Any]
AddressList: TypeAlias = list[dict[str, str]]

MOST_RECIPIENTS = 500
LONGEST_SUBJECT = 998
LONGEST_BODY = 1_000_000
LONGEST_NAME = 200

# Control characters, line separators, lone surrogates, and what turns the direction of writing.
_UNFIT = r"\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069"
_UNFIT_IN_LINE = lazy_regex(rf"[{_UNFIT}]")
_UNFIT_IN_TEXT = lazy_regex(rf"[[{_UNFIT}]--[\n\t]]", regex.VERSION1)


def _reply_marks() -> str:
    """Return the pattern of the marks of replies that mail programs write."""
    mark = any_of(lambda it: it.mail.replies)
    return rf"(?:{mark}(?:\s?[\[(^]\d{{1,3}}[\])]?)?\s*[:\uff1a]\s*)+"


_REPLY_MARKS = lazy_regex(_reply_marks, regex.IGNORECASE)
_TAGGED_REPLY_MARKS = lazy_regex(
    lambda: rf"(\[[^\]\n]{{1,80}}\]\s*){_reply_marks()}", regex.IGNORECASE
)


def check_recipients(**fields: Iterable[Recipient]) -> dict[str, AddressList]:
    """Return the lists of recipients, in the order `to`, `cc`, `bcc` as given, each address once.

    An address is text or a mapping with `email` and perhaps `name`; a later repetition, in whatever
    case and field, is left out. Raises DomainError naming the field and place (`cc/2`).
    """
    seen: set[str] = set()
    checked: dict[str, AddressList] = {}
    for field, recipients in fields.items():
        checked[field] = []
        for place, recipient in _numbered(field, recipients):
            address = _check_recipient(f"{field}/{place}", recipient)
            if address["email"].lower() not in seen:
                seen.add(address["email"].lower())
                checked[field].append(address)
    if len(seen) > MOST_RECIPIENTS:
        raise invalid(
            next(iter(fields)),
            _("There are %(count)s recipients.", count=len(seen)),
            _("at most %(most)s over all fields", most=MOST_RECIPIENTS),
        )
    return checked


def _numbered(field: str, recipients: Iterable[Recipient]) -> Iterator[tuple[int, Recipient]]:
    if isinstance(recipients, str | Mapping):
        raise invalid(
            field,
            _("%(field)s takes one value, not a list.", field=field),
            _("a list of addresses"),
        )
    return enumerate(recipients)


def _check_recipient(field: str, recipient: Recipient) -> dict[str, str]:
    given: Mapping[str, Any] = {"email": recipient} if isinstance(recipient, str) else recipient
    email, name = given.get("email"), given.get("name") or ""
    if not isinstance(email, str) or not isinstance(name, str):
        raise invalid(field, _("That is not an address."), _("an e-mail address"))
    try:
        email = check_address(email)
    except ValueError as error:
        raise invalid(field, of_error(error), _("an e-mail address")) from error
    if _UNFIT_IN_LINE.search(name) or len(name) > LONGEST_NAME:
        raise invalid(
            field,
            _("The name contains control characters or is too long."),
            _("a name of one line and at most %(most)s characters", most=LONGEST_NAME),
        )
    return {"name": name.strip(), "email": email} if name.strip() else {"email": email}


def check_subject(subject: str) -> str:
    """Return the subject, trimmed; raises DomainError where it is not one clean line."""
    if _UNFIT_IN_LINE.search(subject):
        raise invalid(
            "subject",
            _("The subject contains line breaks or other control characters."),
            _("one line without control characters"),
        )
    if len(subject) > LONGEST_SUBJECT:
        raise invalid(
            "subject",
            _("The subject has %(count)s characters.", count=len(subject)),
            _("at most %(most)s characters", most=LONGEST_SUBJECT),
        )
    return subject.strip()


def check_body(body: str, *, may_be_empty: bool = False) -> str:
    """Return the text with plain line ends; raises DomainError where it is empty or not text."""
    if not may_be_empty and not body.strip():
        raise invalid("body", _("The body is empty."), _("a text"))
    if len(body) > LONGEST_BODY:
        raise invalid(
            "body",
            _("The body has %(count)s characters.", count=len(body)),
            _("at most %(most)s characters", most=LONGEST_BODY),
        )
    body = plain_line_ends(body)
    if found := _UNFIT_IN_TEXT.search(body):
        raise invalid(
            "body",
            _(
                "The body has the control character U+%(code)s at %(place)s.",
                code=f"{ord(found[0]):04X}",
                place=found.start(),
            ),
            _("text with line feeds and tabs, and no other control characters"),
        )
    return body


def plain_line_ends(text: str) -> str:
    """Return the text with LF for CR LF and CR."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def plain_name(name: str) -> str:
    """Return a correspondent's name as we may write it; empty where it poses as an address."""
    line = " ".join(_UNFIT_IN_LINE.sub(" ", name).split())
    return "" if "@" in line else line[:LONGEST_NAME].strip()


def reply_subject(subject: str) -> str:
    """Return the subject of a reply: `Re:` once, whatever marks the subject already has."""
    line = " ".join(_UNFIT_IN_LINE.sub(" ", subject).split())
    line = _REPLY_MARKS.sub("", line, count=1) if _REPLY_MARKS.match(line) else line
    if _TAGGED_REPLY_MARKS.match(line):
        line = _TAGGED_REPLY_MARKS.sub(r"\1", line, count=1)
    return f"Re: {line}"[:LONGEST_SUBJECT].strip()


def check_filename(filename: str) -> str:
    """Return the name of an attachment; raises DomainError where it is no plain file name."""
    name = filename.strip()
    plain = name and name not in {".", ".."} and not set(name) & {"/", "\\"}
    if not plain or _UNFIT_IN_LINE.search(name) or len(name) > 255:
        raise invalid(
            "filename",
            _("%(filename)s is not a plain file name.", filename=repr(filename[:80])),
            _("a name of at most 255 characters without slashes or control characters"),
        )
    return name
