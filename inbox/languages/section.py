"""What the fields of a language's file are made of."""

import re
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict


def _alternatives(text: str) -> str:
    """Return alternatives that may stand on several lines as those of a pattern."""
    return re.sub(r"\s+\|\s+", "|", text.strip())


def filled_in(text: str, macros: dict[str, str]) -> str:
    """Return the text with each `{name}` of a macro filled in."""
    for name, words in reversed(macros.items()):
        text = text.replace(f"{{{name}}}", words)
    return text


# Alternatives of a regular expression, parted by " | ": `due | payable | pay(?:ment)? by`.
Words: TypeAlias = Annotated[str, AfterValidator(_alternatives)]
# Words, parted by spaces.
Plain: TypeAlias = str


class Section(BaseModel):
    """A part of the file; a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
