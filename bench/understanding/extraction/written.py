"""Letters in a file: each with a schema, and what is to be found by it.

The file is YAML with lists of letters under its keys: `schema`, `from`, `email`, `subject`, `text`
or `html`, `find` with the values, and `also` with other values that are right, too.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from bench.understanding.extraction.letters import Labelled, mail
from bench.understanding.extraction.schemas import default

_NOBODY = "someone@supplier.example"


def read_written(path: Path, key: str = "letters") -> Iterator[Labelled]:
    """Yield the letters of a file, or of each file of a folder, named by their schema."""
    files = sorted(path.rglob("*.yaml")) if path.is_dir() else [path]
    for file in files:
        for number, one in enumerate(yaml.safe_load(file.read_text(encoding="utf-8"))[key]):
            yield _labelled(one, f"{one['schema']} {file.stem}-{number}")


def _labelled(one: dict[str, Any], name: str) -> Labelled:
    sender = (one.get("from", ""), one.get("email", _NOBODY))
    raw = mail(one.get("subject", "Hello"), one.get("text", ""), one.get("html", ""), sender=sender)
    truth = {field: _plain(value) for field, value in one["find"].items()}
    also = one.get("also") or {}
    also = {field: tuple(_plain(it) for it in _listed(values)) for field, values in also.items()}
    return Labelled(name, default(one["schema"]), raw, truth, also)


def _listed(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _plain(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
