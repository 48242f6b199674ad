"""Rows by their public ids, as answers and arguments name them."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from agents.models.exposure import public_id_of
from inbox import ids

# Public ids of what has a text, each as a whole JSON string.
_SHOWN = re.compile(
    r'"((?:act|agm|att|ctx|drf|evt|fil|mry|msg|per|sdl|tdo|thr)_[A-Za-z0-9]{10,64})"'
)
# A receipt names so many; a list has a page of 200 rows at most, each with a few ids.
MOST_SHOWN = 1000


class Ref(NamedTuple):
    """A row, as for `public_id_of`."""

    kind: str
    key: int

    @property
    def public_id(self) -> str:
        """Its public id."""
        return public_id_of(self.kind, self.key)


def ids_in(answer: str) -> list[str]:
    """Return the public ids in an answer's JSON text, each once, of what has a text."""
    return list(dict.fromkeys(_SHOWN.findall(answer)))[:MOST_SHOWN]


def read_refs(public_ids: Iterable[str]) -> list[Ref]:
    """Return the rows that public ids name, each once; what is no id is passed over."""
    found = []
    for one in public_ids:
        kind = one.partition("_")[0]
        numbers = ids.decode(kind, one)
        match kind, numbers:
            case "msg", (0 | 1 as is_ours, key):
                found.append(Ref("sub" if is_ours else "msg", key))
            case "msg", _:
                continue
            case _, (key, *_):
                found.append(Ref(kind, key))
    return list(dict.fromkeys(found))
