"""Answers without a model: what is asked most often is written straight from rows."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json

AnswerT = TypeVar("AnswerT", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Plain(Generic[AnswerT]):
    """The fields of an answer, named and ordered as its contract writes them, as plain values.

    What is absent is left out. Nothing checks them: tests hold the same bytes against the model.
    """

    fields: Any
    # What the answer lacks, in words; they go beside it.
    remarks: tuple[str, ...] = ()

    def as_json(self) -> str:
        """Return the JSON that the model would be written as."""
        return to_json(self.fields).decode()


def moment(value: datetime | str) -> str:
    """Return a time as contracts write it (RFC 3339, in UTC); one without a zone is in UTC.

    A text is one as SQLite stores it, `2026-03-02 12:00:00.5`, in UTC.
    """
    if isinstance(value, str):
        return f"{value[:10]}T{value[11:]}Z"
    naive = value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)
    return f"{naive.isoformat()}Z"
