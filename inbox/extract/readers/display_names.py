"""What a display name and an address tell: a person, a task, or what a house goes by; pure."""

import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

import regex

from inbox.extract.document import Document
from inbox.languages import any_of, lazy_regex, words_of
from inbox.languages.model import Language
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS


@cache
def title() -> str:
    """Return the expression for titles before a name."""
    return any_of(lambda it: it.people.titles)


_TITLES = lazy_regex(lambda: rf"^{title()}\s+", regex.IGNORECASE)
_ORGANISED = lazy_regex(lambda: rf"\b{any_of(lambda it: it.people.organised)}\b", regex.IGNORECASE)


def is_personal(name: str) -> bool:
    """Return True if a display name looks like a person's."""
    words = name.split()
    if not words or len(words) > 5 or "@" in name or regex.search(r"\d", name):
        return False
    return not _ORGANISED.search(name) and all(regex.match(r"[\p{L}'’.-]+,?$", it) for it in words)


def straight_name(name: str) -> str:
    """Return a display name as one says it: `Doe, Jane` → `Jane Doe`, without a title.

    Of "Kelp Photos via Billwell" it is who is written for, and not what sends it.
    """
    name = _SENT_BY.sub("", _TITLES.sub("", name.strip().strip("\"'")))
    name = regex.sub(r"\s*\([^)]*\)\s*$", "", name)
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma and len(name.split()) <= 4 else name


_SENT_BY = lazy_regex(lambda: rf"(?<=\S)[\"']?\s(?:{any_of(lambda it: it.mail.on_behalf)})\s.*$")
_ROBOT = lazy_regex(r"(?:.*[._+-])?(?:no-?_?reply|do-?_?not-?_?reply|mailer-daemon|notifications?)")


def is_automatic(address: str) -> bool:
    """Return True if nobody reads what is sent to an address."""
    return _ROBOT.match(address.lower().partition("@")[0]) is not None


# A name that a domain gives has so many letters at least.
SHORTEST_KEY = 5

# A stop belongs to a word that it abbreviates ("St.", "Dr.") or stands within ("Foo.com").
_WORD = (
    r"\p{Lu}[\p{L}\d'’-]{0,30}(?:\.[\p{L}\d'’-]{1,30}){0,3}"
    r"(?:(?<=(?<![\p{L}\d'’])\p{Lu}\p{Ll}{0,2})\.)?"
)
# What may stand between the words of a name.
_BETWEEN: tuple[Callable[[Language], str], ...] = (
    lambda it: it.contacts.company_joints,
    lambda it: it.contacts.company_particles,
    lambda it: it.contacts.name_particles,
)
STRETCH = lazy_regex(
    lambda: (
        rf"(?<![\p{{L}}\d@&'’.-])(?:{_WORD}|\p{{Ll}}{{1,3}}(?=['’]\p{{Lu}}))"
        rf"(?:[ ](?:{_WORD}|&|\+|{any_of(*_BETWEEN)}"
        r"(?!\p{L}))){0,6}(?!@)"
    )
)


@lru_cache(maxsize=2048)
def folded(name: str) -> str:
    """Return the letters and digits of a name, without case and accents."""
    plain = unicodedata.normalize("NFKD", name.casefold().replace("ß", "ss").replace("ø", "o"))
    return "".join(it for it in plain if it.isalnum() and not unicodedata.combining(it))


def is_like(name: str, key: str) -> bool:
    """Return True if one of two folded names begins with the other, and that is not short."""
    return name.startswith(key) or (len(name) >= SHORTEST_KEY and key.startswith(name))


_DESK = lazy_regex(
    lambda: rf"(?:.*[._+-])?{any_of(lambda it: it.contacts.desks)}(?:[._+\d-].*)?$",
    regex.IGNORECASE,
)
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "ac", "gov", "edu", "or", "ne"})


def is_desk(document: Document) -> bool:
    """Return True if the sender's address is that of a task in a house, and of no person."""
    local = document.sender_email.partition("@")[0]
    return is_automatic(document.sender_email) or _DESK.match(local) is not None


def domain_key(address: str) -> str:
    """Return the name that the domain of an address has, folded; "" where anybody gets one."""
    domain = address.rpartition("@")[2].lower()
    labels = domain.split(".")[:-1]
    if len(labels) > 1 and labels[-1] in _SECOND_LEVEL:
        labels = labels[:-1]
    if not labels or domain in PUBLIC_DOMAINS:
        return ""
    return folded(labels[-1])


def keys_of(document: Document) -> list[str]:
    """Return what the company may be called, folded, by whom the message comes from."""
    keys = [domain_key(document.sender_email), folded(own_name(document))]
    return [it for it in keys if len(it) >= SHORTEST_KEY]


_PARTS = lazy_regex(r"\s[–—|•·-]\s|[,:;(/]\s?|\s@\s|\s?[\"“”„«»]\s?")


def own_name(document: Document) -> str:
    """Return the display name without words of any desk: "Harrow Ltd, Accounts"; "" for none."""
    name = straight_name(document.sender_name)
    if is_personal(name) and not is_desk(document) and not ORGANISATION.search(name):
        key = domain_key(document.sender_email)
        if not key or not is_like(folded(name), key) or _is_local_part(name, document):
            return ""
    parts = [" ".join(without_desks(it.split())) for it in _PARTS.split(name)]
    key = domain_key(document.sender_email)
    return max(parts, key=lambda it: (bool(key) and is_like(folded(it), key), len(it)), default="")


def _is_local_part(name: str, document: Document) -> bool:
    """Return True if the address is made of the words of a name, as that of a person is."""
    local = folded(document.sender_email.partition("@")[0])
    return any(len(it) > 1 and folded(it) in local for it in name.split())


def without_desks(words: list[str]) -> list[str]:
    """Return the words of a name without those at its ends that anybody goes by."""
    generic = words_of(lambda it: it.classify.of_anybody)
    while words and (words[-1].casefold().strip(".") in generic or not words[-1][0].isalnum()):
        words = words[:-1]
    while words and words[0].casefold() in generic:
        words = words[1:]
    return words


ORGANISATION = lazy_regex(
    lambda: rf"(?<!\p{{L}})(?:{any_of(lambda it: it.people.organisations)})(?!\p{{L}})"
)
