"""What a card has to be (RFC 9553): the properties that are not so are returned."""

from typing import Any

_NAME_KINDS = {
    "title", "given", "given2", "surname", "surname2", "credential", "generation", "separator",
}  # fmt: skip
_ADDRESS_KINDS = {
    "room", "apartment", "floor", "building", "number", "name", "block", "subdistrict", "district",
    "locality", "region", "postcode", "country", "direction", "landmark", "postOfficeBox",
    "separator",
}  # fmt: skip
_FEATURES = {"mobile", "voice", "text", "video", "main-number", "textphone", "fax", "pager"}
# The text that each entry of a map has to have.
_MAPS = {"emails": "address", "phones": "number", "nicknames": "name", "notes": "note",
         "links": "uri", "titles": "name"}  # fmt: skip
_KNOWN = {
    "@type", "version", "uid", "id", "addressBookIds", "kind", "name", "organizations", "addresses",
    "anniversaries", "keywords", "onlineServices", "media", "updated", "created", "prodId",
    "vCardProps", "members", *_MAPS,
}  # fmt: skip


def check_card(card: dict[str, Any]) -> list[str]:
    """Return the properties that are not as RFC 9553 has them."""
    wrong = [name for name in card if name not in _KNOWN and ":" not in name]
    if card.get("@type") != "Card" or card.get("version") != "1.0":
        wrong.append("@type")
    if not isinstance(card.get("uid"), str) or not card["uid"]:
        wrong.append("uid")
    wrong += [name for name, text in _MAPS.items() if not _are_entries(card.get(name), text)]
    checks = {
        "name": _is_name, "organizations": _are_organizations, "addresses": _are_addresses,
        "anniversaries": _are_days,
    }  # fmt: skip
    return wrong + [name for name, fits in checks.items() if name in card and not fits(card[name])]


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _are_entries(value: Any, text: str) -> bool:
    if value is None:
        return True
    return isinstance(value, dict) and bool(value) and all(
        _is_entry(one) and _is_text(one.get(text)) for one in value.values()
    )  # fmt: skip


def _is_entry(one: Any) -> bool:
    if not isinstance(one, dict):
        return False
    pref, contexts, features = one.get("pref", 1), one.get("contexts"), one.get("features")
    return (
        isinstance(pref, int) and 1 <= pref <= 100 and _is_set(contexts)
        and _is_set(features) and set(features or ()) <= _FEATURES
    )  # fmt: skip


def _is_set(value: Any) -> bool:
    if value is None:
        return True
    return isinstance(value, dict) and bool(value) and all(it is True for it in value.values())


def _are_parts(value: Any, kinds: set[str]) -> bool:
    return isinstance(value, list) and bool(value) and all(
        isinstance(it, dict) and it.get("kind") in kinds and isinstance(it.get("value"), str)
        for it in value
    )  # fmt: skip


def _is_name(name: Any) -> bool:
    if not isinstance(name, dict) or not {"full", "components"} & name.keys():
        return False
    return _is_text(name.get("full", "-")) and (
        "components" not in name or _are_parts(name["components"], _NAME_KINDS)
    )  # fmt: skip


def _are_organizations(found: Any) -> bool:
    return bool(found) and all(
        _is_entry(one) and (_is_text(one.get("name")) or one.get("units"))
        and all(_is_text(unit.get("name")) for unit in one.get("units", []))
        for one in found.values()
    )  # fmt: skip


def _are_addresses(found: Any) -> bool:
    return bool(found) and all(
        _is_entry(one)
        and (_is_text(one.get("full")) or _are_parts(one.get("components"), _ADDRESS_KINDS))
        for one in found.values()
    )  # fmt: skip


def _are_days(found: Any) -> bool:
    return bool(found) and all(
        one.get("kind") in ("birth", "death", "wedding") and one.get("date")
        for one in found.values()
    )
