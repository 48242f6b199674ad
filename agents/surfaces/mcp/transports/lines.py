"""Serving over the standard streams: first with what is remembered, then with the whole server.

A client starts us with its own start, and asks for our tools long before it calls one. To load all
that answers calls takes two seconds; that begins once the tools were told, while the client thinks,
or with the first line that wants more.
"""

import logging
import os
import signal
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from threading import Thread
from typing import BinaryIO

from django.conf import settings
from django.utils.module_loading import import_string

from agents.dispatching.actors import current_actor
from agents.models import Agent
from agents.surfaces.mcp.transports.remembered import (
    HELLO,
    LIST,
    READY,
    Conversation,
    recall,
)
from inbox.loading import load_rest

log = logging.getLogger(__name__)
_SERVER = "agents.surfaces.mcp.transports.stdio"


@dataclass(frozen=True, slots=True)
class Opened:
    """The streams of a client, the lines of it that were read, and what of them was answered."""

    source: BinaryIO
    wire: BinaryIO
    lines: list[bytes]
    answered: list[str | int]


def serve(agent: Agent, profile: str) -> None:
    """Serve the agent on stdin and stdout until stdin ends."""
    # Whoever interrupts it is not kept waiting for a line that does not come.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with claim_stdout() as wire, os.fdopen(os.dup(0), "rb") as source:
        opening = _Opening(agent, profile, source, wire)
        try:
            lines = opening.answer()
        except BrokenPipeError:
            log.info("the client has gone")
            lines = []
        # To break off half-way through a module is no end for a process either.
        opening.finish_loading()
        if lines:
            _load()
            server = import_string(f"{_SERVER}.serve")
            server(agent, profile, Opened(source, wire, lines, opening.answered))


def claim_stdout() -> BinaryIO:
    """Return the wire to the client; what anything else prints goes to stderr from now on."""
    wire = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return wire


class _Opening:
    """What is said before the server is loaded."""

    def __init__(self, agent: Agent, profile: str, source: BinaryIO, wire: BinaryIO) -> None:
        self._source = source
        self._wire = wire
        self._conversation = Conversation(profile, partial(current_actor, agent))
        self._loading: Thread | None = None
        # The ids of those requests among the lines handed on that were answered here.
        self.answered: list[str | int] = []

    def answer(self) -> list[bytes]:
        """Answer what can be; return the lines that the server has to read, none at the end."""
        handed_on: list[bytes] = []
        while line := self._source.readline(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1):
            asked = self._conversation.read(line)
            said = recall(asked) if asked else None
            if asked is None or said is None:
                return [*handed_on, line]
            if said:
                self._wire.write(said)
            if asked.method == LIST:
                self._begin_to_load()
            elif asked.method in {HELLO, READY}:
                # The server has to hear it too, and is not heard itself.
                handed_on.append(line)
                self.answered += [asked.id] if asked.id is not None else []
        return []

    def finish_loading(self) -> None:
        """Return when what was begun is loaded."""
        if self._loading is not None:
            self._loading.join()

    def _begin_to_load(self) -> None:
        if self._loading is None:
            self._loading = Thread(target=_load, name="loading")
            self._loading.start()


def _load() -> None:
    load_rest()
    import_module(_SERVER)
