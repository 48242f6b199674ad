"""The deck: what planted proposals look like, each with one thing wrong, in `deck/*.yaml`.

A file is a list of kinds. `title` says in each language what is wrong, as its page and figures name
it. `needs` are facts that the answered message must state; `to: lookalike` and `cc: stranger`
change whom it goes to; a `meeting` comes with an invitation. Under each language stands the
letter: its `body` between a greeting and a closing, which it may have of its own, `wrong` as it
stands in the letter or among its recipients, and `expected`, what would be right, where there is
such a thing. Words in braces are those of `agents.planted.writing`.
"""

from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

FOLDER = Path(__file__).with_name("deck")
FRAMES = Path(__file__).with_name("frames.yaml")
LANGUAGES = ("en", "de")
FEWEST = 40


class DeckError(ValueError):
    """A file of the deck that cannot be used; it names the file, the field and what is wrong."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Titles(_Part):
    """What is wrong, in each language."""

    en: str = Field(min_length=1, max_length=80)
    de: str = Field(min_length=1, max_length=80)


class Letter(_Part):
    """What a planted message says in one language."""

    body: str = Field(min_length=1)
    wrong: str = Field(min_length=1)
    expected: str = ""
    subject: str = ""
    greeting: str = ""
    closing: str = ""


class Frame(_Part):
    """How letters of a language begin and end, where they do not say so themselves."""

    greeting: str = Field(min_length=1)
    closing: str = Field(min_length=1)


class Meeting(_Part):
    """When an invitation is for: `later` days after the day that its text names."""

    at: str = Field(pattern=r"^\d\d:\d\d$")
    minutes: int = Field(ge=15, le=480)
    later: int = 0
    stranger: bool = False


class Kind(_Part):
    """One way of being wrong."""

    code: str = Field(pattern=r"^[a-z][a-z_]{3,59}$")
    title: Titles
    needs: tuple[Literal["amount", "number", "host"], ...] = ()
    to: Literal["", "lookalike"] = ""
    cc: Literal["", "stranger"] = ""
    meeting: Meeting | None = None
    en: Letter
    de: Letter

    def letter(self, language: str) -> Letter:
        """Return the letter in this language."""
        return self.de if language == "de" else self.en

    def title_in(self, language: str) -> str:
        """Return what is wrong, in this language, else in English."""
        return self.title.de if language.startswith("de") else self.title.en


@cache
def deck() -> dict[str, Kind]:
    """Return every kind by its code, in the order of the files; raises DeckError."""
    kinds = [kind for path in sorted(FOLDER.glob("*.yaml")) for kind in _read(path)]
    found = {kind.code: kind for kind in kinds}
    if len(found) != len(kinds):
        twice = sorted({one.code for one in kinds if kinds.count(found[one.code]) > 1})
        raise DeckError(f"two kinds have the same code: {', '.join(twice) or 'see the files'}")
    return found


@cache
def frame_of(language: str) -> Frame:
    """Return how letters of a language begin and end."""
    return Frame.model_validate(yaml.safe_load(FRAMES.read_text("utf-8"))[language])


def title_of(code: str, language: str) -> str:
    """Return what a kind is called; its code where the deck of this version has no such kind."""
    kind = deck().get(code)
    return kind.title_in(language) if kind else code.replace("_", " ")


def _read(path: Path) -> list[Kind]:
    try:
        page: Any = yaml.safe_load(path.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise DeckError(f"{path.name}: {' '.join(str(error).split())}") from error
    try:
        return [Kind.model_validate(kind) for kind in page]
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"]) or "the file"
        raise DeckError(f"{path.name}: {field}: {first['msg']}") from error
