"""Columns of reasons: codes with parameters in the row, a `ReasonText` in Python."""

from typing import Any

from django.db import models

from inbox.reasons.text import ReasonText, loads, own, read


class ReasonField(models.TextField):  # type: ignore[type-arg]
    """Reasons as the JSON text of their codes, so that what stands in them can be searched.

    A plain text that is put in is somebody's own words.
    """

    def from_db_value(self, value: str | None, *_: Any) -> ReasonText | None:
        """Return the reasons as a text; null stays null."""
        return None if value is None else loads(value)

    def get_prep_value(self, value: Any) -> Any:
        """Return the text of the column."""
        return own(value).dumps() if isinstance(value, str) else super().get_prep_value(value)


def read_failure(column: str) -> ReasonText:
    """Return reasons that a column of plain text keeps; what is none is words as they are."""
    if not column.startswith('[{"code": '):
        return own(column)
    try:
        return loads(column)
    except (ValueError, KeyError, TypeError, AttributeError):
        # Somebody's JSON that only begins as ours does.
        return own(column)


class FailureField(ReasonField):
    """Why something failed; a column of plain text before, which rows of 0.2.0 hold still."""

    def from_db_value(self, value: str | None, *_: Any) -> ReasonText | None:
        """Return the reasons as a text; what is none is words as they are."""
        return read_failure(value or "")

    def deconstruct(self) -> Any:
        """Return it as the plain text that it is for the database: no migration."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs


class ShortFailureField(models.CharField):  # type: ignore[type-arg]
    """The same in a column of bounded length; what is longer keeps its beginning, in English."""

    def from_db_value(self, value: str | None, *_: Any) -> ReasonText:
        """Return the reasons as a text; what is none is words as they are."""
        return read_failure(value or "")

    def get_prep_value(self, value: Any) -> Any:
        """Return the text of the column."""
        if not isinstance(value, str):
            return super().get_prep_value(value)
        text, longest = own(value), self.max_length or 0
        while text and len(text.dumps()) > longest:
            text = own(str(text)[: len(text) * 3 // 4])
        return text.dumps()

    def deconstruct(self) -> Any:
        """Return it as the plain text that it is for the database: no migration."""
        name, _path, args, kwargs = super().deconstruct()
        return name, "django.db.models.CharField", args, kwargs


class ReasonListField(models.JSONField):
    """A list of such texts."""

    def from_db_value(self, value: Any, *args: Any) -> Any:
        """Return each as a text."""
        stored = super().from_db_value(value, *args)
        return [read(one) for one in stored] if isinstance(stored, list) else stored

    def get_prep_value(self, value: Any) -> Any:
        """Return each as its codes."""
        return [own(one).as_json() for one in value] if isinstance(value, list) else value
