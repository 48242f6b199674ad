"""Goals and the letters they are for, as the YAML files beside this have them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import parseaddr
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from bench.understanding.halves import Half, half_of
from inbox.models import Direction, Message
from inbox.rfc5322.text.language import detect_language
from inbox.rfc5322.text.quotes import new_text

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OFFICES = Path(__file__).parents[2] / "letters" / "offices"
# How a folder of strangers may call the kinds of goals.
KINDS = {"other": "other languages", "two": "two languages"}
_WHEN = datetime(2026, 11, 24, 9, tzinfo=UTC)


@dataclass(frozen=True)
class Goal:
    """A goal on a letter: what the draft has to say and must not say, each a pattern."""

    on: str
    text: str
    says: tuple[str, ...]
    never: tuple[str, ...]
    thread: tuple[Message, ...]
    us: str
    kind: str

    @property
    def half(self) -> Half:
        """The half that it is of, by the domain of whom is answered."""
        return half_of(self.thread[-1].from_email.rpartition("@")[2])


def read_goals(path: Path) -> Iterator[Goal]:
    """Yield the goals of a file, or of a folder with `goals.yaml` and the letters, `mails.yaml`."""
    mails = path / "mails.yaml" if path.is_dir() else Path(__file__).with_name("mails.yaml")
    for kind, rows in _pages(path / "goals.yaml" if path.is_dir() else path).items():
        for on, text, says, *never in rows:
            thread, us = thread_of(on, mails)
            never_says = tuple(never[0]) if never else ()
            yield Goal(on, text, tuple(says), never_says, thread, us, KINDS.get(kind, kind))


@cache
def _pages(path: Path) -> Any:
    return yaml.load(path.read_text("utf-8"), _LOADER)


def thread_of(on: str, mails: Path) -> tuple[tuple[Message, ...], str]:
    """Return the messages up to the newest one that came in, oldest first, and our own name."""
    office, _, key = on.rpartition("/")
    if not office:
        row = _pages(mails)[on]
        return (_message(1, row, _WHEN, is_ours=False),), "Office"
    page = _pages(next(_OFFICES.glob(f"{office}_*.yaml")))
    us = page["office"]["us"]
    rows = [
        _message(number, row, _moment(row["date"]), is_ours=_is_from(row, us["email"]))
        for number, row in enumerate(page["threads"][key], 1)
    ]
    while rows[-1].direction != Direction.INBOUND:
        rows.pop()
    return tuple(rows), us["name"]


def _is_from(row: dict[str, Any], address: str) -> bool:
    return parseaddr(row["from"])[1].lower() == address.lower()


def _moment(said: Any) -> datetime:
    if isinstance(said, str):
        said = datetime.fromisoformat(said.strip())
    if isinstance(said, date) and not isinstance(said, datetime):
        said = datetime.combine(said, time(9))
    return said if said.tzinfo else said.replace(tzinfo=UTC)


def _message(number: int, row: dict[str, Any], at: datetime, *, is_ours: bool) -> Message:
    name, address = parseaddr(row["from"])
    text, subject = str(row["text"]), " ".join(row["subject"].split())
    new = new_text(text)
    return Message(
        pk=number, direction=Direction.OUTBOUND if is_ours else Direction.INBOUND, sent_at=at,
        received_at=at, from_name=name, from_email=address, subject=subject,
        text=text, new_text=new,
        language=detect_language(new) or detect_language(f"{subject} {text[:3000]}"),
    )  # fmt: skip
