"""The parts of a database's schema that are compared, whichever database it is."""

import re
from dataclasses import dataclass, field
from typing import TypeAlias

# The applications whose tables are compared; Django's and other packages keep their own promises.
APPS = ("inbox", "calendar_app", "agents")
# A migration: its application and its name.
Key: TypeAlias = tuple[str, str]
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its type in the database's own words, and whether it may be NULL.

    `is_generated`: the database works it out from others, and no row is written with it.
    """

    type: str
    is_null: bool
    is_generated: bool = False


@dataclass(slots=True)
class Shape:
    """Tables with their columns, and the names of what belongs to them.

    `rules` maps the name of each trigger, function and full-text table to its statement, with
    blanks evened out; an empty one is not compared. `required` are the columns, as
    (table, column), which a new row must fill and for which there is no default.
    """

    tables: dict[str, dict[str, Column]] = field(default_factory=dict)
    indexes: set[str] = field(default_factory=set)
    constraints: set[str] = field(default_factory=set)
    rules: dict[str, str] = field(default_factory=dict)
    required: set[tuple[str, str]] = field(default_factory=set)


def even(statement: str) -> str:
    """Return a statement with each run of blanks as one, so that two can be compared."""
    return _BLANKS.sub(" ", statement).strip()
