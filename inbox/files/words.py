"""What was read of a file. No Django here."""

from dataclasses import dataclass

# Between the cells of a row, as the text of HTML mail has them.
CELL = " | "


@dataclass(frozen=True, slots=True)
class FileWords:
    """The words of a file; `reason` is a code that says why there are none, or not all.

    `encrypted`, `damaged`, `too_large`, `too_slow`, `no_words` (a scan), `unknown_kind`, or "".
    """

    text: str
    reason: str = ""
