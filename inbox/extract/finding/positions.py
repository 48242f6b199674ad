"""What whoever writes does in a house: the position below the name that signs; pure."""

from collections.abc import Iterator

import regex

from inbox.extract.document import Document
from inbox.extract.fields import Field
from inbox.extract.labels import Candidate
from inbox.extract.readers.contacts import find_companies
from inbox.extract.readers.display_names import ORGANISATION, folded, is_like, keys_of
from inbox.extract.readers.people import find_writer
from inbox.languages import any_of, lazy_regex

_OF_A_POSITION = lazy_regex(lambda: any_of(lambda it: it.schemas.positions))


def find_position(field: Field, document: Document, text: str) -> list[Candidate]:
    """Find what whoever signs does, where a field asks for a position."""
    is_asked = text is document.layers[0] and _OF_A_POSITION.search(field.words)
    return list(_below_the_name(document))[:1] if is_asked else []


def _below_the_name(document: Document) -> Iterator[Candidate]:
    """Yield what stands beside or below the name of whoever signs and is no house or number."""
    text = document.layers[0] + "\n" + document.layers[1]
    writer = find_writer(document)
    signed = writer and regex.compile(
        rf"(?<=^|[|])[ \t*]*{regex.escape(writer.text)}(?=[ \t*]*(?:$|[|,(·•–-]))", regex.MULTILINE
    )
    hits = list(signed.finditer(text)) if signed else []
    if not hits:
        return
    known = keys_of(document)
    rest = text[hits[-1].end() :].lstrip(" ,(*")
    for line in rest.split("\n")[:_LINES_BELOW]:
        for cell in regex.split(r"\s[|·•–]\s|\||,\s", line):
            name = cell.strip(" *|.,()")
            if _is_role(name) and not any(is_like(folded(name), it) for it in known):
                at = text.find(name, hits[-1].end())
                yield Candidate(name, -1, -1, 0.75, text[at : at + len(name)])
            elif name:
                return


_LINES_BELOW = 3


def _is_role(text: str) -> bool:
    words = text.split()
    if not 1 <= len(words) <= 7 or regex.search(r"[\d@:/]|www\.", text) or len(text) < 3:
        return False
    is_desk = regex.fullmatch(any_of(lambda it: it.contacts.desks), text, regex.IGNORECASE)
    return is_desk is None and not find_companies(text) and not ORGANISATION.search(text)
