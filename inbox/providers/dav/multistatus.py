"""Answers in XML (RFC 4918 13), read as they come: no DTD, no entities, bounded depth and number.

Each `response` is taken out as soon as it ends, so that a long answer is never a tree in memory.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET
from xml.sax.saxutils import escape

from inbox.providers.dav.names import DAV, HREF, SYNC_TOKEN
from inbox.providers.web import GarbledAnswerError

DEEPEST = 40
MOST_RESPONSES = 200_000
# Elements of one response.
MOST_ELEMENTS = 5_000
_STATUS = re.compile(r"HTTP/[0-9.]+\s+([0-9]{3})\b")
_TAG = re.compile(r"\{([^}]+)\}(.+)")


class GarbledXmlError(GarbledAnswerError):
    """An answer is no XML, or not such as we read."""


@dataclass(frozen=True, slots=True)
class Response:
    """What an answer says of one resource: its properties that are there, by name.

    `status` is that of the resource itself; 200 where it has properties.
    """

    href: str
    status: int
    props: Mapping[str, ET.Element]

    def text(self, name: str) -> str:
        """Return what a property says, without blanks at its ends; empty without it."""
        found = self.props.get(name)
        return "".join(found.itertext()).strip() if found is not None else ""

    def raw_text(self, name: str) -> str:
        """Return exactly what a property says."""
        found = self.props.get(name)
        return "".join(found.itertext()) if found is not None else ""

    def inside(self, name: str) -> set[str]:
        """Return the names of the elements right in a property."""
        found = self.props.get(name)
        return {child.tag for child in found} if found is not None else set()

    def within(self, name: str) -> set[str]:
        """Return the names of all elements in a property, however deep."""
        found = self.props.get(name)
        return {child.tag for child in found.iter()} if found is not None else set()

    def hrefs(self, name: str) -> list[str]:
        """Return the addresses in a property."""
        found = self.props.get(name)
        texts = (each.text or "" for each in found.iter(HREF)) if found is not None else ()
        return [text.strip() for text in texts if text.strip()]


@dataclass(slots=True)
class Multistatus:
    """An answer: what it says of each resource, in its order."""

    responses: list[Response] = field(default_factory=list)
    sync_token: str = ""


@dataclass(frozen=True, slots=True)
class Failure:
    """What a body says of a failure: the preconditions by name (RFC 4918 16), and words."""

    conditions: tuple[str, ...] = ()
    words: str = ""


class Reader:
    """Reads an answer piece by piece; raises GarbledXmlError."""

    def __init__(self) -> None:
        self._target = _Target()
        self._parser = _parser(self._target)

    def feed(self, data: bytes) -> None:
        """Take the next piece."""
        try:
            self._parser.feed(data)
        except (ET.ParseError, LookupError, ValueError) as error:
            raise GarbledXmlError(str(error)[:200]) from error

    def end(self) -> Multistatus:
        """Return the answer; raises GarbledXmlError where it does not end or is none."""
        try:
            self._parser.close()
        except (ET.ParseError, LookupError, ValueError) as error:
            raise GarbledXmlError(str(error)[:200]) from error
        if self._target.root != f"{DAV}multistatus":
            raise GarbledXmlError(f"{self._target.root[:60]} is no multistatus")
        return self._target.answer


class _Target(ET.TreeBuilder):
    def __init__(self) -> None:
        super().__init__()
        self.answer = Multistatus()
        self.root = ""
        self._open: list[ET.Element] = []
        self._count = 0

    def doctype(self, _name: str, _public: str | None, _system: str | None) -> None:
        """Refuse it: nothing that we ask for has a document type, and entities stand in one."""
        raise GarbledXmlError("it has a document type")

    def start(self, tag: str, attrs: dict[str, str]) -> ET.Element:
        """Begin an element."""
        element = super().start(tag, attrs)
        self._open.append(element)
        self._count += 1
        if len(self._open) > DEEPEST or self._count > MOST_ELEMENTS:
            raise GarbledXmlError("it has too many elements")
        if len(self._open) == 1:
            self.root = tag
        return element

    def end(self, tag: str) -> ET.Element:
        """End an element; a response is taken out of the tree."""
        element = super().end(tag)
        self._open.pop()
        if len(self._open) == 1:
            self._take(element)
            self._open[0].remove(element)
            self._count = 1
        return element

    def _take(self, element: ET.Element) -> None:
        if element.tag == SYNC_TOKEN:
            self.answer.sync_token = (element.text or "").strip()
        elif element.tag == f"{DAV}response":
            self.answer.responses.extend(_responses(element))
            if len(self.answer.responses) > MOST_RESPONSES:
                raise GarbledXmlError("it names too many resources")


def _responses(element: ET.Element) -> Iterable[Response]:
    """Return what one element says; without properties it may name several addresses."""
    found: dict[str, ET.Element] = {}
    parts = element.findall(f"{DAV}propstat")
    for part in parts:
        inner = part.find(f"{DAV}prop")
        if inner is not None and 200 <= _status(part, 200) < 300:
            found.update((each.tag, each) for each in inner)
    status = _status(element, 200)
    named = element.findall(HREF)
    if not named:
        raise GarbledXmlError("an answer does not name what it is about")
    for href in named:
        yield Response((href.text or "").strip(), status, found)


def _status(element: ET.Element, usual: int) -> int:
    found = _STATUS.match((element.findtext(f"{DAV}status") or "").strip())
    return int(found[1]) if found else usual


def read_failure(body: bytes) -> Failure:
    """Return what the body of a refusal says; nothing where it is no XML of ours."""
    target = _Kept()
    parser = _parser(target)
    try:
        parser.feed(body)
        root = parser.close()
    except (ET.ParseError, LookupError, ValueError):
        return Failure()
    if not isinstance(root, ET.Element) or root.tag != f"{DAV}error":
        return Failure()
    said = [
        (each.text or "").strip()
        for each in root
        if each.tag.endswith("}message") or each.tag.endswith("}responsedescription")
    ]
    names = [
        _bare(each.tag)
        for each in root
        if each.tag.startswith(DAV) or each.tag.startswith("{urn:ietf:")
    ]
    return Failure(
        tuple(name for name in names if name != "responsedescription")[:5], " ".join(said)[:300]
    )


def _parser(target: _Target) -> ET.XMLParser:
    # With this target there is no document type, and so no entity.
    return ET.XMLParser(target=target)  # noqa: S314


class _Kept(_Target):
    """Keeps the whole tree, for a short body."""

    def end(self, tag: str) -> ET.Element:
        self._open.pop()
        return ET.TreeBuilder.end(self, tag)


def _bare(tag: str) -> str:
    return tag.rpartition("}")[2][:60]


# -- what is asked ---------------------------------------------------------------------------------
def prop(names: Iterable[str]) -> str:
    """Return the element that asks for these properties."""
    return f'<d:prop xmlns:d="DAV:">{"".join(empty(name) for name in names)}</d:prop>'


def empty(name: str) -> str:
    """Return an element with nothing in it."""
    found = _TAG.fullmatch(name)
    if found is None:
        raise ValueError(f"{name} has no namespace")
    return f'<x:{found[2]} xmlns:x="{found[1]}"/>'


def propfind(names: Iterable[str]) -> bytes:
    """Return the body that asks for properties (RFC 4918 9.1)."""
    return document(f'<d:propfind xmlns:d="DAV:">{prop(names)}</d:propfind>')


def hrefs(paths: Iterable[str]) -> str:
    """Return the elements that name these addresses."""
    return "".join(f'<d:href xmlns:d="DAV:">{escape(path)}</d:href>' for path in paths)


def document(text: str) -> bytes:
    """Return XML as it is sent."""
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}'.encode()
