"""How mail programs announce history, in the languages that they speak."""

import re
from functools import cache, lru_cache

import regex

from inbox.languages.patterns import any_of, lazy


@cache
def _forwarded_below() -> str:
    return any_of(lambda it: it.mail.forwarded_below)


@cache
def _senders() -> str:
    return any_of(lambda it: it.mail.senders)


@cache
def _attributions() -> str:
    return any_of(lambda it: it.mail.attributions)


@cache
def _wrote() -> str:
    return any_of(lambda it: it.mail.wrote)


ORIGINAL_MESSAGE = lazy(
    lambda: (
        rf"\s*(?:[-_=*]{{2,}}\s*{any_of(lambda it: it.mail.original)}(?!\w).{{0,80}}"
        rf"|{_forwarded_below()}\s*:)\s*$"
    ),
    re.IGNORECASE,
)
# The fields of a header that is quoted as text, in bold or not.
HEADER_FROM = lazy(
    lambda: rf"\s?\*{{0,2}}{_senders()}\s?\*{{0,2}}\s?[:：]\*{{0,2}}\s*\S", re.IGNORECASE
)
HEADER_OTHER = lazy(
    lambda: (
        r"\s{0,16}\*{0,2}"
        rf"{any_of(lambda it: it.mail.fields, lambda it: it.mail.subjects)}\s?\*{{0,2}}\s?[:：]"
    ),
    re.IGNORECASE,
)
# As Lotus Notes begins what it quotes: `Ada Byron@HILL`, a date and time below or behind it
# ("… on 07/16/2001 01:58:41 PM"), then To, cc and Subject.
NOTES_DATED = lazy(
    lambda: (
        r"(?:(?P<who>\s*\S.{0,150}?)\s"
        rf"(?:(?i:{any_of(lambda it: it.mail.attributions)})\s*|\s{{2,40}})|\s*)"
        r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4},?\s{1,3}\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?:\s?[AaPp][Mm])?\s*$"
    )
)
NOTES_BESIDE = re.compile(r"\s*(?:Sent by:|Please respond to\b)", re.IGNORECASE)
# What is left of a mark that was wrapped: `07:35 AM -----------`.
REST_OF_MARK = re.compile(r"\s*(?:\d{1,2}:\d\d\s*)?(?:[AaPp][Mm])?\s*[-_=*]{5,}\s*$")
RULE = re.compile(r"\s*[_\-=─]{5,}\s*$")

# `On Monday Ann wrote:` and its kin.
_DATE_HINT = r"(?:\d{1,4}[./年\-]\s?\d|\d{1,2}[:h]\d\d|\b(?:19|20)\d\d\b|@)"
_DATE = r"\d{1,4}[./年\-]\s?\d"
_ADDRESS = r"[^\n<>]{1,120}<[^\s@<>]+@"


@cache
def _first_words() -> str:
    return f"(?:{_attributions()}|{_DATE}|{_ADDRESS})"


@cache
def _starts() -> str:
    senders = rf"\*{{0,2}}{_senders()}\s?\*{{0,2}}\s?[:：]"
    return (
        rf"[-_=*─]{{2,}}|{_forwarded_below()}|{senders}|{any_of(lambda it: it.mail.attributions)}"
    )


# One quick look says whether a line may begin history at all.
MAY_START_HISTORY = lazy(lambda: rf"\s*(?:{_starts()}|{_DATE}|{_ADDRESS})", re.IGNORECASE)


@cache
def _history() -> regex.Pattern[str]:
    return regex.compile(f"{_starts()}|{_DATE}", regex.IGNORECASE)


@lru_cache(maxsize=16384)
def may_begin(beginning: str) -> bool:
    """Return True if what a line begins with, blanks apart, may begin history; "" may not.

    What is beyond ASCII always may, and so may `… <ada@b`, whatever it begins with.
    """
    return not beginning.isascii() or (
        bool(beginning) and _history().match(beginning, partial=True) is not None
    )


ATTRIBUTION_START = lazy(lambda: rf"\s*{_first_words()}")
# With a date or an address, and ending in "wrote:". Few lines begin so, which is asked first.
ATTRIBUTION = lazy(
    lambda: (
        rf"(?={_first_words()})(?=.{{0,300}}?{_DATE_HINT}){_first_words()}.{{0,380}}?(?<![a-zA-Z])"
        rf"(?:{_wrote()}(?!\w).{{0,60}}?[:：]\s*$|{_wrote()}\s?\*?[:：]?\s*$)"
    )
)
# Before a quoted line less is asked: `Jim Barnes wrote:` is enough.
ANNOUNCES = lazy(
    lambda: (
        rf".{{0,380}}?(?<![a-zA-Z])(?:{_wrote()}(?!\w).{{0,60}}?[:：]|{_wrote()}\s?[:：]"
        r"|<[^\s@<>]+@[^\s<>]+>\s?[:：])\s*$"
    )
)

# As Supercite writes: `Ann> what Ann wrote`.
NAMED_MARK = re.compile(r"\s{0,8}[A-Z][\w.-]{0,14}>")

LIST_RULE = re.compile(r"[-_]+\s*$")
LIST_FOOTER = lazy(lambda: any_of(lambda it: it.mail.list_footers), re.IGNORECASE)


@cache
def _signature() -> str:
    return rf"{any_of(lambda it: it.mail.signatures)}\s*(?:<https?://[^\s>]*>)?$"


# What telephones and web mail put below.
MOBILE_SIGNATURE = lazy(_signature)


@cache
def _signatures() -> regex.Pattern[str]:
    return regex.compile(_signature())


@lru_cache(maxsize=16384)
def may_sign(beginning: str) -> bool:
    """Return True if what a line begins with may begin `MOBILE_SIGNATURE`; "" may not."""
    return not beginning.isascii() or (
        bool(beginning) and _signatures().match(beginning, partial=True) is not None
    )
