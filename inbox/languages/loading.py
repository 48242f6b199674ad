"""Reads the files of the languages, once and when they are first asked for."""

from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml
from pydantic import ValidationError

from inbox.languages.model import Language

ENGLISH: Final = "en"
FOLDER = Path(__file__).parent
# libyaml reads ten times as fast; PyYAML may come without it. The base loader keeps every word as
# it is written: `no` and `on` are words here.
_LOADER = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class LanguageError(ValueError):
    """A language's file that cannot be used; it names the file, the field and what is wrong."""


@cache
def languages() -> tuple[Language, ...]:
    """Return every language, in the order in which their words are tried; raises LanguageError."""
    pages = {path: _page(path) for path in FOLDER.glob("*.yaml")}
    read = {it.code: it for it in (_checked(path, page) for path, page in pages.items())}
    english = next(page for path, page in pages.items() if path.stem == ENGLISH)
    for path, page in pages.items():
        _check_names(page, english, path.name, "")
    return tuple(sorted(read.values(), key=lambda it: (it.place, it.code)))


@cache
def _by_code() -> dict[str, Language]:
    return {it.code: it for it in languages()}


def language(code: str) -> Language | None:
    """Return the language of a code such as `de` or `de-AT`; None where it has no file."""
    return _by_code().get(code.partition("-")[0].lower())


def read_language(path: Path) -> Language:
    """Return what a file has; raises LanguageError naming the file and the field."""
    return _checked(path, _page(path))


def _page(path: Path) -> Any:
    try:
        return yaml.load(path.read_text("utf-8"), _LOADER)  # noqa: S506
    except yaml.YAMLError as error:
        raise LanguageError(f"{path.name}: {' '.join(str(error).split())}") from error


def _checked(path: Path, page: Any) -> Language:
    try:
        read = Language.model_validate(page)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(step) for step in first["loc"]) or "the file"
        raise LanguageError(f"{path.name}: {field}: {first['msg']}") from error
    if read.code != path.stem:
        raise LanguageError(f"{path.name}: code: it is the name of the file, {path.stem!r}")
    return read


# Tables whose names are those of the English one; `unless` takes back what the signals say.
_NAMED = {
    "classify.lists", "classify.signals", "forms.columns", "forms.counts", "forms.dates",
    "forms.money", "forms.numbers", "labels.more", "mail.mailboxes", "meanings",
    "numbering.prefixes", "reply.things", "roles.counts", "roles.dates", "roles.money",
    "roles.numbers", "roles.units", "schemas.kinds", "things",
}  # fmt: skip


def _check_names(page: Any, english: Any, file: str, path: str) -> None:
    """Raise LanguageError where a table has a name that the English one does not have."""
    for name, value in page.items():
        here = f"{path}{name}"
        if path[:-1] in _NAMED and name not in english:
            known = ", ".join(english)
            raise LanguageError(f"{file}: {here}: no such name; {ENGLISH}.yaml has {known}")
        if isinstance(value, dict):
            _check_names(value, english.get(name, {}), file, f"{here}.")
