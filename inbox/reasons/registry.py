"""The registry of reasons: each code's sentence in English, with `%(name)s` for its parameters.

The sentences of flags stand in the registry of flags, `inbox/flags/registry.py`.
"""

from collections.abc import Mapping
from typing import Final

from inbox.reasons.rules import ACTIONS, KINDS, OPTIONS, SIGNS
from inbox.reasons.sentences import CALLS, DRIFT, NOTES, REFUSALS, SENDING, TERMS


def _by_group(group: str, sentences: Mapping[str, str]) -> dict[str, str]:
    return {f"{group}.{name}": sentence for name, sentence in sentences.items()}


SENTENCES: Final[Mapping[str, str]] = {
    # What somebody wrote, as it is.
    "own_words": "%(words)s",
    **CALLS,
    **DRIFT,
    **REFUSALS,
    **SENDING,
    **NOTES,
    **TERMS,
    **_by_group("kind", KINDS),
    **_by_group("sign", SIGNS),
    **_by_group("options", OPTIONS),
    **_by_group("action", ACTIONS),
}
