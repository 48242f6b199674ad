"""Letters in a file: each with a schema, and what is to be found by it.

The file is YAML with lists of letters under its keys: `schema`, `from`, `email`, `subject`, `text`
or `html`, `find` with the values, and `also` with other values that are right, too. Or it is one
list, of letters by somebody who had not seen our schemas: `from`, `to`, `date`, and `values`, which
are all that there is of what the letters of that schema say.
"""

from collections.abc import Iterator
from datetime import datetime
from email.utils import parseaddr
from pathlib import Path
from typing import Any

import yaml

from bench.understanding.extraction.letters import Labelled, mail
from bench.understanding.extraction.schemas import asking, default

_NOBODY = "someone@supplier.example"
_MEETING = ("title", "date", "time", "location", "link")


def read_written(path: Path, key: str = "letters") -> Iterator[Labelled]:
    """Yield the letters of a file, or of each file of a folder, named by their schema."""
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    for file in files:
        held = yaml.safe_load(file.read_text(encoding="utf-8"))
        if isinstance(held, list):
            yield from _without_our_schemas(held)
            continue
        for number, one in enumerate(held[key]):
            yield _labelled(one, f"{one['schema']} {file.stem}-{number}")


def _labelled(one: dict[str, Any], name: str) -> Labelled:
    sender = (one.get("from", ""), one.get("email", _NOBODY))
    raw = mail(one.get("subject", "Hello"), one.get("text", ""), one.get("html", ""), sender=sender)
    truth = {field: _plain(value) for field, value in one["find"].items()}
    also = one.get("also") or {}
    also = {field: tuple(_plain(it) for it in _listed(values)) for field, values in also.items()}
    return Labelled(name, default(one["schema"]), raw, truth, also)


def _without_our_schemas(letters: list[dict[str, Any]]) -> Iterator[Labelled]:
    """Yield letters, each asked for whatever any letter of its schema says."""
    asked: dict[str, dict[str, None]] = {"meeting": dict.fromkeys(_MEETING)}
    states = {one["values"].get("status") for one in letters} - {None}
    for one in letters:
        if one["schema"] != "meeting":
            asked.setdefault(one["schema"], {}).update(dict.fromkeys(one["values"]))
    for one in letters:
        name, email = parseaddr(one["from"])
        raw = mail(
            one["subject"], one.get("text", ""), one.get("html", ""), sender=(name, email),
            to=one["to"], sent_at=datetime.fromisoformat(one["date"]),
        )  # fmt: skip
        schema = asking(one["schema"], asked[one["schema"]], states)
        # An address that only stands in the From line is one that the message shows, too.
        also = {"email": (email,)} if "email" not in one["values"] else {}
        yield Labelled(f"{one['schema']} {one['id']}", schema, raw, _ours(one["values"]), also)


def _ours(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values as our schemas have them: a day and a time, and a link that is a place."""
    ours = {field: _plain(value) for field, value in values.items()}
    if "start" in ours:
        ours["date"], _, at = ours.pop("start").partition("T")
        ours |= {"time": at[:5]} if at else {}
    if str(ours.get("location", "")).startswith("http"):
        ours["link"] = ours.pop("location")
    return ours


def _listed(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
