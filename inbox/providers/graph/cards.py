"""Contacts as Graph has them, as vCards (RFC 2426) and back. Pure; what comes in is hostile."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inbox.formats.calendar_lines import escape, make_line, split_line, unescape
from inbox.formats.content_lines import Block, name_of, read_blocks, write_blocks
from inbox.formats.vcard import rank_of, read_property, typed_value
from inbox.providers.graph.answers import Json
from inbox.providers.graph.kept import LONGEST
from inbox.providers.http.json_values import object_of, objects_of, text_of, texts_of

_N = ("surname", "givenName", "middleName", "title", "generation")
_ORG = ("companyName", "department")
_LINES = {"displayName": "FN", "jobTitle": "TITLE", "personalNotes": "NOTE", "nickName": "NICKNAME",
          "businessHomePage": "URL"}  # fmt: skip
_ADR = ("street", "city", "state", "postalCode", "countryOrRegion")
_ADDRESSES = {"homeAddress": "HOME", "businessAddress": "WORK", "otherAddress": ""}
_OF_THE_CARD = frozenset({"VERSION", "PRODID", "UID", "REV"})
# How many of each Outlook has room for.
_MOST = {"emailAddresses": 3, "businessPhones": 2, "homePhones": 2, "mobilePhone": 1}
_PHONES = {"business": "businessPhones", "home": "homePhones", "mobile": "mobilePhone"}
_TYPES = {"businessPhones": "WORK", "homePhones": "HOME", "mobilePhone": "CELL"}
_LONGEST_LINE = 4_000
_COMPONENT = re.compile(r"((?:\\.|[^\\;])*)(?:;|$)", re.DOTALL)
_DAY = re.compile(r"(\d{4})-?(\d\d)-?(\d\d)(?:T.*)?")


@dataclass(frozen=True, slots=True)
class Said:
    """What a card says in Graph's words, and the lines that it has beyond them."""

    fields: dict[str, Any]
    rest: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """Lines of a card that are kept beside a contact.

    `rest` are those that Graph has no words for; `styled` stand in place of those that say the
    same, with other parameters.
    """

    rest: tuple[str, ...] = ()
    styled: tuple[str, ...] = ()


# -- to Graph --------------------------------------------------------------------------------------
def read_card(raw: bytes) -> Said:
    """Return what a card says; raises ValueError where it is none."""
    blocks = read_blocks(raw.decode("utf-8-sig", "replace"))
    card = next((block for block in blocks if block.name == "VCARD"), None)
    if card is None:
        raise ValueError("it contains no vCard")
    fields = _nothing()
    lines = [item for item in card.items if isinstance(item, str)]
    ranked = sorted(lines, key=lambda line: _rank(line) if name_of(line) == "EMAIL" else 0)
    rest = [line for line in ranked if not _take(fields, line)]
    return Said(fields, tuple(line for line in lines if line in rest))


def _nothing() -> dict[str, Any]:
    """Return the fields of a card that says nothing."""
    fields: dict[str, Any] = dict.fromkeys((*_N, *_ORG, *_LINES, "birthday", "mobilePhone"), "")
    fields |= {name: [] for name in ("emailAddresses", "businessPhones", "homePhones")}
    return fields | dict.fromkeys(_ADDRESSES, ())


def _rank(line: str) -> int:
    read = read_property(line)
    return 1000 if read is None else rank_of(read)


def _take(fields: dict[str, Any], line: str) -> bool:
    """Have the fields say what a line does; return False where Graph has no room for it."""
    name, params, value = split_line(line)
    if name in _OF_THE_CARD:
        return True
    match name:
        case "N" | "ORG":
            parts = dict(zip(_N if name == "N" else _ORG, _components(value), strict=False))
            return _take_once(fields, parts)
        case "EMAIL" | "TEL":
            return _take_typed(fields, line)
        case "ADR":
            return _take_address(fields, params, value)
        case "BDAY":
            found = _DAY.fullmatch(value.strip())
            return _take_once(fields, {"birthday": "-".join(found.groups())}) if found else False
    named = next((it for it, written in _LINES.items() if written == name), "")
    return bool(named) and _take_once(fields, {named: unescape(value).strip()})


def _take_once(fields: dict[str, Any], parts: Mapping[str, str]) -> bool:
    if any(fields[name] for name in parts):
        return False
    fields |= {name: said.strip() for name, said in parts.items()}
    return True


def _take_typed(fields: dict[str, Any], line: str) -> bool:
    read = read_property(line)
    if read is None:
        return False
    typed = typed_value(read)
    if read.name == "EMAIL":
        named, value = "emailAddresses", typed.value.strip()
        if "@" not in value or value in fields[named]:
            return False
    else:
        named, value = _PHONES.get(typed.kind, ""), typed.value.strip()
    if not named or not value:
        return False
    if named == "mobilePhone":
        return _take_once(fields, {named: value})
    if len(fields[named]) >= _MOST[named]:
        return False
    fields[named].append(value)
    return True


def _take_address(fields: dict[str, Any], params: Mapping[str, str], value: str) -> bool:
    types = params.get("TYPE", "").upper().split(",")
    named = next((it for it, kind in _ADDRESSES.items() if kind in types), "otherAddress")
    box, extended, *parts = [*_components(value), *[""] * 7][:7]
    if fields[named] or box or extended or not any(parts):
        return False
    fields[named] = tuple(part.strip() for part in parts)
    return True


def _components(value: str) -> list[str]:
    return [unescape(part) for part in _COMPONENT.findall(value)]


def written(fields: Mapping[str, Any], there: Json) -> dict[str, Any]:
    """Return fields as Graph takes them; `there` is what it has, so that nothing else is lost."""
    body: dict[str, Any] = {}
    for name, value in fields.items():
        if name == "emailAddresses":
            known = {text_of(one, "address"): one for one in objects_of(there, name)}
            body[name] = [known.get(one) or {"address": one, "name": one} for one in value]
        elif name in _ADDRESSES:
            body[name] = dict(zip(_ADR, value or [""] * len(_ADR), strict=True))
        elif name == "birthday":
            body[name] = f"{value}T00:00:00Z" if value else None
        else:
            body[name] = value
    return body


# -- from Graph ------------------------------------------------------------------------------------
def write_card(found: Json, uid: str, kept: Kept) -> bytes:
    """Return the card of a contact."""
    styled = {_meaning(line): line for line in kept.styled}
    lines = [styled.get(_meaning(line), line) for line in _lines(found)]
    there = set(map(_meaning, lines))
    lines += [line for line in kept.rest if _meaning(line) not in there]
    head = ["VERSION:3.0", make_line("UID", escape(uid))]
    return write_blocks([Block("VCARD", [*head, *lines])]).encode("utf-8", "replace")


def kept_of(raw: bytes, rest: Sequence[str], found: Json) -> Kept:
    """Return the lines of a card that Graph has no words for, or says otherwise."""
    blocks = read_blocks(raw.decode("utf-8-sig", "replace"))
    card = next(block for block in blocks if block.name == "VCARD")
    derived = {*_lines(found), *rest}
    lines = (item for item in card.items if isinstance(item, str))
    styled = (it for it in lines if it not in derived and name_of(it) not in _OF_THE_CARD)
    # A photograph is longer than what can be kept.
    fit = tuple(line for line in rest if len(line) <= _LONGEST_LINE)
    return Kept(fit, tuple(sorted(it for it in styled if len(it) <= _LONGEST_LINE)))


def _meaning(line: str) -> tuple[str, ...]:
    """Return what a line says in Graph's words, or its name and value where there are none."""
    fields = _nothing()
    if _take(fields, line):
        return tuple(f"{name}={said}" for name, said in sorted(fields.items()) if said)
    name, _params, value = split_line(line)
    return name, value.strip().lower()


def _lines(found: Json) -> list[str]:
    lines = [make_line("FN", escape(_name(found)))]
    lines.append(make_line("N", ";".join(escape(text_of(found, name).strip()) for name in _N)))
    if any(text_of(found, name) for name in _ORG):
        organisation = ";".join(escape(text_of(found, name).strip()) for name in _ORG)
        lines.append(make_line("ORG", organisation.rstrip(";")))
    for name, line in _LINES.items():
        said = _plain(text_of(found, name))
        lines += [make_line(line, escape(said))] if said and line != "FN" else []
    lines += [make_line("EMAIL", escape(text_of(one, "address"))) for one in _emails(found)]
    for name, kind in _TYPES.items():
        lines += [make_line("TEL", escape(one), {"TYPE": kind}) for one in _numbers(found, name)]
    for name, kind in _ADDRESSES.items():
        parts = [_plain(text_of(object_of(found, name), part)) for part in _ADR]
        value = ";".join(["", "", *map(escape, parts)])
        lines += [make_line("ADR", value, {"TYPE": kind})] if any(parts) else []
    if born := _DAY.fullmatch(text_of(found, "birthday")):
        lines.append(f"BDAY:{'-'.join(born.groups())}")
    return lines


def _emails(found: Json) -> Iterable[Json]:
    return (one for one in objects_of(found, "emailAddresses") if "@" in text_of(one, "address"))


def _numbers(found: Json, name: str) -> list[str]:
    return [text_of(found, name)] if text_of(found, name) else texts_of(found, name)


def _plain(said: str) -> str:
    return said.replace("\r\n", "\n").replace("\r", "\n").strip()


def _name(found: Json) -> str:
    """Return what somebody is called; a card has to say it."""
    composed = " ".join(filter(None, (text_of(found, it) for it in ("givenName", "surname"))))
    said = (text_of(found, "displayName"), composed, text_of(found, "companyName"))
    addresses = (text_of(one, "address") for one in _emails(found))
    return next((one for it in (*said, *addresses) if (one := it.strip())), "(no name)")


# -- beyond Graph's words --------------------------------------------------------------------------
def read_kept(said: str) -> Kept:
    """Return the lines that were kept of a card."""
    try:
        found = json.loads(said) if 0 < len(said) <= LONGEST else {}
    except (ValueError, RecursionError):
        found = {}
    said_of = found if isinstance(found, dict) else {}
    rest, styled = (_whole_lines(texts_of(said_of, name)) for name in ("rest", "styled"))
    return Kept(rest, styled)


def _whole_lines(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line for line in lines if not {"\r", "\n"} & set(line))


def write_kept(kept: Kept) -> str:
    """Return lines as text to be kept; raises ValueError for more than there is room for."""
    found = {"rest": list(kept.rest), "styled": list(kept.styled)}
    said = {name: lines for name, lines in found.items() if lines}
    text_kept = json.dumps(said, ensure_ascii=False) if said else ""
    if len(text_kept) > LONGEST:
        raise ValueError("it has more of its own than Graph keeps")
    return text_kept
