"""An office and its letters, as a YAML file has them: `tests/bench/letters/office.yaml` is one."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import yaml

Row: TypeAlias = dict[str, Any]
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Letter:
    """A letter that an agent would send; `wrong` are the words of it that are not so."""

    id: str
    is_good: bool
    body: str
    answers: str = ""
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    subject: str = ""
    goal: str = ""
    attachments: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    why: str = ""
    kind: str = ""

    @property
    def wrong_places(self) -> list[tuple[str, int, int]]:
        """Where its wrong words stand: the part, and from which character to which."""
        parts = {"body": self.body, "subject": self.subject}
        return [
            (part, start, start + len(words))
            for words in map(str.strip, self.wrong) for part, text in parts.items()
            for start in _places(text, words)
        ]  # fmt: skip


@dataclass(frozen=True)
class Corpus:
    """A file: the office's rows as they are written, and its letters."""

    name: str
    office: Row
    files: list[Row]
    events: list[Row]
    people: list[Row]
    threads: dict[str, list[Row]]
    letters: list[Letter]


def read_corpus(path: Path) -> Corpus:
    """Return what a file has; raises ValueError for a letter whose wrong words are not in it."""
    read = yaml.load(path.read_text(), _LOADER)
    letters = [_letter(one) for one in read["letters"]]
    if lacking := [it.id for it in letters if not it.is_good and not it.wrong_places]:
        raise ValueError(f"{path.name}: the wrong words of {', '.join(lacking)} stand nowhere")
    return Corpus(
        path.stem, read["office"], read.get("files") or [], read.get("events") or [],
        read.get("people") or [], read.get("threads") or {}, letters,
    )  # fmt: skip


def _letter(row: Row) -> Letter:
    return Letter(
        id=row["id"], is_good=row["good"], body=row["body"], answers=row.get("answers") or "",
        to=_several(row.get("to")), cc=_several(row.get("cc")), subject=row.get("subject") or "",
        goal=row.get("goal") or "", attachments=_several(row.get("attachments")),
        wrong=_several(row.get("wrong")), why=row.get("why") or "", kind=row.get("kind") or "",
    )  # fmt: skip


def _several(given: Any) -> tuple[str, ...]:
    """Return texts, of which a file may have one, several or none."""
    if given is None or given == "":
        return ()
    return (given,) if isinstance(given, str) else tuple(map(str, given))


def _places(text: str, words: str) -> list[int]:
    found, start = [], text.find(words)
    while start >= 0:
        found.append(start)
        start = text.find(words, start + 1)
    return found
