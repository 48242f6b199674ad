"""Paths inside an exchange folder: relative, plain, and the same on every file system."""

from agents.errors import ToolError, invalid
from inbox.files.file_names import LONGEST_PATH, split_path

__all__ = ["ACCEPTED", "LONGEST_PATH", "clean_error", "read_path"]

ACCEPTED = "a relative path such as reports/june.csv"


def read_path(path: str, pointer: str) -> tuple[str, ...]:
    """Return the steps of a path below the folder; raises ToolError `invalid_input`."""
    try:
        return split_path(path)
    except ValueError as error:
        raise invalid(pointer, str(error), ACCEPTED) from None


def clean_error(error: OSError, pointer: str) -> ToolError:
    """Return what a caller is told where a step cannot be opened, being no folder or too long."""
    return invalid(pointer, f"cannot be opened: {error.strerror or 'refused'}", ACCEPTED)
