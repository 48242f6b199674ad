"""Which texts an agent was shown lately: read off its receipts, and remembered up to the last one.

An agent that polls is shown the same fifty texts again and again; to read all receipts of a day at
each turn would cost it more the more it asks. A process reads what came since it last looked, for
receipts get their numbers one after the other. It starts anew where the last one that it knows is
not there any longer as it was.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from agents.contracts import REGISTRY, Effect
from agents.models import Receipt
from inbox.actor import Actor

# What an agent itself writes and keeps is no reading: drafts, contexts, memories, messages, plans.
_OWN = ("agm_", "ctx_", "drf_", "mry_", "sdl_")
# So many agents, and of each so many texts, are remembered.
_MOST_REMEMBERED, _MOST_TEXTS = 64, 50_000


@dataclass(frozen=True, slots=True)
class _Known:
    """When each text was last shown, since a moment and up to a receipt (its number and hash)."""

    since: datetime
    seq: int
    hash: str
    texts: dict[str, datetime] = field(default_factory=dict)

    def tells_of(self, since: datetime) -> bool:
        """Return True if something of the time since then is known, and nothing of it is missing.

        Where nothing is, the receipts since the last one known may be more than those of the time.
        """
        return self.since <= since and any(at >= since for at in self.texts.values())


_remembered: OrderedDict[tuple[int, str, int], _Known] = OrderedDict()
_remembering = threading.Lock()


def foreign_texts(shown: Iterable[str]) -> set[str]:
    """Return those of the public ids of texts which the agent did not write itself."""
    return {one for one in shown if not one.startswith(_OWN)}


def texts_read_since(
    actor: Actor, since: datetime, seconds: int, receipts_since: Callable[[Actor, datetime], Any]
) -> set[str]:
    """Return the texts that an agent was shown by calls that read, opened since then.

    `seconds` is the length of the quota that asks; each remembers for itself. `receipts_since` is
    `agents.receipts.own_since`, asked where nothing is known yet.
    """
    key = (actor.workspace_id, actor.key, seconds)
    with _remembering:
        known = _remembered.get(key)
    found = _go_on(actor, known) if known is not None and known.tells_of(since) else None
    if found is None:
        found = _read(_reading(receipts_since(actor, since)), _Known(since, 0, ""))
    texts = {text: at for text, at in found.texts.items() if at >= since}
    _remember(key, _Known(since, found.seq, found.hash, texts))
    return set(texts)


def _reading(receipts: Any) -> Any:
    names = [tool.name for tool in REGISTRY.tools if tool.effect is Effect.READ]
    rows = receipts.filter(tool__in=names, shown__isnull=False, seq__isnull=False)
    return rows.values_list("seq", "hash", "opened_at", "shown")


def _go_on(actor: Actor, known: _Known) -> _Known | None:
    """Return what is known with what came since; None where the last one known is not there."""
    mine = Receipt.objects.visible_to(actor).filter(
        workspace=actor.workspace_id, actor=actor.key, seq__gte=known.seq
    )
    rows = sorted(_reading(mine))
    if not rows or rows[0][:2] != (known.seq, known.hash):
        return None
    return _read(rows[1:], known)


def _read(rows: Iterable[tuple[int, str, datetime, list[str]]], known: _Known) -> _Known:
    texts, last = dict(known.texts), (known.seq, known.hash)
    for seq, hash_, at, shown in rows:
        last = max(last, (seq, hash_))
        for text in foreign_texts(shown):
            texts[text] = max(at, texts.get(text, at))
    return _Known(known.since, *last, texts)


def _remember(key: tuple[int, str, int], known: _Known) -> None:
    with _remembering:
        _remembered.pop(key, None)
        if known.seq and len(known.texts) <= _MOST_TEXTS:
            _remembered[key] = known
        while len(_remembered) > _MOST_REMEMBERED:
            _remembered.popitem(last=False)
