"""Asking a model: one question, one answer, within the server's bounds."""

from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from inbox.language_model.errors import ModelError
from inbox.language_model.prompts import Prompt
from inbox.language_model.server import ModelServer


@dataclass(frozen=True, slots=True)
class Said:
    """What a model answered, and how many tokens it read and wrote; 0 where nobody says."""

    text: str
    input_tokens: int = 0
    output_tokens: int = 0


class _Speaking(Protocol):
    def speak(self, server: ModelServer, prompt: Prompt) -> Said: ...


def ask(server: ModelServer, prompt: Prompt) -> Said:
    """Return what a model answers; raises ModelError. No transaction is open meanwhile.

    What speaks with it is an extra, and is loaded with the first question.
    """
    try:
        speaking = cast("_Speaking", import_module("inbox.language_model.speaking"))
    except ImportError as error:
        raise ModelError("not_installed") from error
    return speaking.speak(server, prompt)
