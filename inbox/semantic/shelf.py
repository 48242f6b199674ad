"""Where the vectors of rows are kept."""

from dataclasses import dataclass

from django.db.models import Model


@dataclass(frozen=True, slots=True)
class Shelf:
    """A model with a `vector` for each row of another, and its columns: of that row, and whose.

    `may_index`: an owner can have so many rows that an index of them is worth while.
    """

    model: type[Model]
    key: str
    owner: str
    may_index: bool = False

    @property
    def table(self) -> str:
        """The table of the vectors."""
        return self.model._meta.db_table
