"""Names as JSContact has them (RFC 9553 2.2.1), and as a card does. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from inbox.formats.vcard import Card
from inbox.providers.http.json_values import objects_of, text_of
from inbox.providers.jmap.contacts.parts import Json

# Our names by the kinds of components that make them up, the one that is written first.
_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "prefix": ("title",), "given": ("given",), "additional": ("given2",),
    "family": ("surname", "surname2"), "suffix": ("credential", "generation"),
}  # fmt: skip


def names_in(name: Json) -> dict[str, str]:
    """Return what a name says, by our names; `fn` is the whole."""
    said = {own: " ".join(_said(name, kinds)) for own, kinds in _KINDS.items()}
    whole = " ".join(text_of(name, "full").split())
    return {**said, "fn": whole or " ".join(filter(None, said.values()))}


def _said(name: Json, kinds: tuple[str, ...]) -> list[str]:
    parts = objects_of(name, "components")
    return [
        said for one in parts if text_of(one, "kind") in kinds
        if (said := " ".join(text_of(one, "value").split()))
    ]  # fmt: skip


def name_patch(name: Json, before: Card, after: Card) -> dict[str, Any]:
    """Return what has to change so that a name says what it does in `after`."""
    changed = [own for own in _KINDS if getattr(after, own) != getattr(before, own)]
    if not changed:
        if after.fn == before.fn:
            return {}
        return {"name/full": after.fn} if name else {"name": {"full": after.fn}}
    parts: list[dict[str, Any]] = []
    for own, kinds in _KINDS.items():
        if own not in changed:
            parts += [dict(one) for one in objects_of(name, "components")
                      if text_of(one, "kind") in kinds]  # fmt: skip
        elif getattr(after, own):
            parts.append({"kind": kinds[0], "value": getattr(after, own)})
    # How it is sorted, spoken and written out is no more what it was.
    made = {"components": parts, "full": after.fn}
    return {"name": {key: it for key, it in made.items() if it} or None}
