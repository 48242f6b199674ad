"""What the server said to the first questions of a client, kept to be said again.

A client that starts us begins with the same two questions each time. Nothing here makes up an
answer: what was said is repeated where the very same is asked of the same code by the same rights.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from django.conf import settings

from inbox.actor import Actor

HELLO, LIST, READY = "initialize", "tools/list", "notifications/initialized"
_FIRST = {HELLO, LIST, READY}
_FIELDS = {"jsonrpc", "id", "method", "params"}
# What a client may be told depends on these, and on nothing else that is ours.
_ROOMS = ("agents", "calendar_app", "inbox", "project")
_READ = (".py", ".yaml", ".html", ".css", ".js")
# So many answers are kept: of a few agents, profiles and clients.
_MOST = 64


@dataclass(frozen=True, slots=True)
class Question:
    """A line that may have been answered before; `key` is all that its answer depends on.

    `id` is None for what wants no answer.
    """

    method: str
    id: str | int | None = None
    key: str = ""


class Conversation:
    """A client's first lines, read as far as what they ask can be told apart."""

    def __init__(self, profile: str, find_actor: Callable[[], Actor]) -> None:
        self._profile = profile
        self._find_actor = find_actor
        self._hello: Any = None
        self._is_ready = False

    def read(self, line: bytes) -> Question | None:
        """Return what a line asks; None where it is no first question, hostile lines included."""
        if not any(method.encode() in line for method in _FIRST):
            return None
        message = _read(line)
        if message is None or message.get("jsonrpc") != "2.0" or not message.keys() <= _FIELDS:
            return None
        match message:
            case {"method": "initialize" | "tools/list" as method, "id": int() | str() as number}:
                if isinstance(number, bool):
                    return None
                if method == HELLO:
                    self._hello = message.get("params")
                return Question(method, number, self._key(method, message.get("params")))
            case {"method": "notifications/initialized"} if "id" not in message:
                self._is_ready = True
                return Question(READY)
        return None

    def _key(self, method: str, params: object) -> str:
        actor = self._find_actor()
        rights = (actor.key, sorted(actor.scopes), sorted(actor.tools))
        words = [self._profile, rights, method, params, self._hello, self._is_ready]
        return hashlib.sha256(json.dumps(words, sort_keys=True).encode()).hexdigest()


def recall(question: Question) -> bytes | None:
    """Return the line that answers, where the same was answered before; empty where none does."""
    if question.id is None:
        return b""
    try:
        result = json.loads(_place(question).read_bytes())
    except (OSError, ValueError):
        return None
    return as_line({"jsonrpc": "2.0", "id": question.id, "result": result})


def keep(question: Question, result: object) -> None:
    """Keep what was answered; where nothing can be written, nothing is kept."""
    place = _place(question)
    with suppress(OSError):
        place.parent.mkdir(parents=True, exist_ok=True)
        _forget_old(place.parent)
        draft = place.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(result))
        draft.replace(place)


def as_line(message: object) -> bytes:
    """Return a message as the protocol has it on a stream."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _forget_old(folder: Path) -> None:
    """Remove what other versions of the code said, and the oldest of too many."""
    kept = sorted(folder.iterdir(), key=lambda one: one.stat().st_mtime)
    ours = [one for one in kept if one.name.startswith(_code())]
    for one in {*kept} - {*ours[-_MOST:]}:
        one.unlink(missing_ok=True)


def _place(question: Question) -> Path:
    return Path(settings.VAR_DIR) / "mcp" / f"{_code()}-{question.key}"


@cache
def _code() -> str:
    """Return what stands for the code that answers: its files, and the packages behind."""
    seen = hashlib.sha256(sys.version.encode())
    for name in ("mcp", "mcp-types", "pydantic"):
        with suppress(ModuleNotFoundError):
            seen.update(f"{name} {version(name)}".encode())
    for name in _ROOMS:
        for entry in _files(str(Path(settings.BASE_DIR) / name)):
            stat = entry.stat()
            seen.update(f"{entry.path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return seen.hexdigest()[:16]


def _files(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.is_dir() and not entry.name.startswith(("__", ".", "static", "locale")):
            yield from _files(entry.path)
        elif entry.name.endswith(_READ):
            yield entry


def _read(line: bytes) -> dict[str, Any] | None:
    """Return the message in a line; None for what a strict reader might refuse."""
    if len(line) > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        return None
    try:
        message = json.loads(line, object_pairs_hook=_once_each, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice")
    return found


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)
