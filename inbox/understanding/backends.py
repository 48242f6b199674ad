"""Who is asked, in which order, and that somebody always answers."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import takewhile
from typing import TypeAlias, TypeVar

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from inbox.classify.facts import Triage
from inbox.compose.composed import ComposedReply
from inbox.extract.found import Extraction
from inbox.models import Message, Taxonomy
from inbox.understanding.port import (
    RULES,
    Answer,
    Backend,
    JudgeQuestion,
    ReplyQuestion,
    Schema,
    TriageQuestion,
    Verdict,
)

V = TypeVar("V")
# Makes the backends of workspaces, by their keys, with a constant number of queries; of those that
# have it turned off there is none.
Maker: TypeAlias = Callable[[Collection[int]], Mapping[int, Backend]]

_MAKERS: dict[str, Maker] = {}


class Understanding:
    """The backends of a workspace, those first that are asked first; the last answers them all."""

    def __init__(self, backends: Sequence[Backend]) -> None:
        self.backends = tuple(backends)

    def judge(self, question: JudgeQuestion) -> Answer[Verdict]:
        """Say who should see a message."""
        return self._first("judge", (it.judge(question) for it in self.backends))

    def triage(self, message: Message, taxonomy: Taxonomy) -> Answer[Triage]:
        """Say which of a taxonomy's intents a message has."""
        question = TriageQuestion(message, taxonomy)
        return self._first("triage", (it.triage(question) for it in self.backends))

    def extract(self, message: Message, schema: Schema) -> Answer[Extraction]:
        """Find in a message what a JSON Schema asks for; raises SchemaError where it cannot."""
        return self._first("extract", (it.extract(message, schema) for it in self.backends))

    def draft(self, question: ReplyQuestion) -> Answer[ComposedReply]:
        """Draft a reply."""
        return self._first("draft", (it.draft(question) for it in self.backends))

    def embed(self, text: str) -> Answer[tuple[float, ...]] | None:
        """Return a text's place in a space of meaning; None where no backend has one."""
        return next((it for it in (one.embed(text) for one in self.backends) if it), None)

    def _first(self, asked: str, answers: Iterable[Answer[V] | None]) -> Answer[V]:
        """Return the first answer; raises LookupError where all backends declined."""
        answer = next((it for it in answers if it), None)
        if answer is None:
            raise LookupError(f"no backend answers {asked}")
        return answer


def register_backend(name: str, maker: Maker) -> None:
    """Add a backend that settings may name in UNDERSTANDING; its maker is given workspaces' keys.

    Raises ValueError where there is one of this name.
    """
    if name in _MAKERS:
        raise ValueError(f"two backends {name!r}")
    _MAKERS[name] = maker


def understanding_of(workspace_id: int) -> Understanding:
    """Return the backends of a workspace, as `understanding_of_each` does."""
    return understanding_of_each([workspace_id])[workspace_id]


def understanding_of_each(workspace_ids: Collection[int]) -> dict[int, Understanding]:
    """Return the backends of workspaces in the order of UNDERSTANDING, less those turned off.

    Each backend is asked for once, however many workspaces there are. The rules stand last wherever
    they are named, for they always answer. Raises ImproperlyConfigured where there is no backend
    of a name.
    """
    names = [*takewhile(lambda name: name != RULES, settings.UNDERSTANDING), RULES]
    if unknown := set(names) - _MAKERS.keys():
        named, known = ", ".join(sorted(unknown)), ", ".join(_MAKERS)
        raise ImproperlyConfigured(f"UNDERSTANDING names {named}; there is {known}")
    made = [_MAKERS[name](workspace_ids) for name in names]
    return {key: Understanding([of[key] for of in made if key in of]) for key in workspace_ids}
