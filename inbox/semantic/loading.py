"""Whether there is a model to find by: switched on by a setting, and brought by an extra."""

import logging
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from threading import Lock
from typing import Any, Protocol, cast

from django.conf import settings

log = logging.getLogger(__name__)
_LOADING = Lock()
REMEDY = "Install chancery[semantic], or requirements/semantic.txt, as it is locked."


class Meanings(Protocol):
    """What `inbox.semantic.encoder.Encoder` does, for whoever cannot import it."""

    def encode(self, texts: Sequence[str]) -> Any:
        """Return a row of whole numbers for each text."""
        ...


def is_on() -> bool:
    """Return True if the settings ask for finding by meaning."""
    return bool(settings.SEMANTIC_SEARCH)


def find_encoder() -> Meanings | None:
    """Return the model, loaded once a process; None where it is off or cannot be loaded."""
    if not is_on():
        return None
    with _LOADING:
        return _load()[0]


def why_missing() -> str:
    """Return in words why no model is there though it is on; "" where it is there."""
    with _LOADING:
        return _load()[1]


@cache
def _load() -> tuple[Meanings | None, str]:
    try:
        module: Any = import_module("inbox.semantic.encoder")
    except ImportError as error:
        return _missing(str(error))
    try:
        return cast("Meanings", module.Encoder()), ""
    except module.UnknownModelError as error:
        return _missing(str(error))


def _missing(why: str) -> tuple[None, str]:
    log.warning("CHANCERY_SEMANTIC_SEARCH is set and only words are searched: %s. %s", why, REMEDY)
    return None, why
