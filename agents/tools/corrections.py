"""What an answer of a search says of how it came about."""

import json
from collections.abc import Mapping


def _corrections_of(instead: Mapping[str, str]) -> list[str]:
    """Return a remark, where words that no mail has were replaced by ones that it has."""
    if not instead:
        return []
    typed, shown = (", ".join(map(_quoted, words)) for words in (instead, instead.values()))
    return [f"Nothing for {typed}, showing {shown}. In quotation marks a word is taken as it is."]


def remarks_of(instead: Mapping[str, str], looked_through: int) -> list[str]:
    """Return what is to be said of a search: of words, and that not all messages were asked."""
    said = _corrections_of(instead)
    if looked_through:
        said.append(
            f"Only the newest {looked_through:,} messages were looked through; "
            "after: and before: lead to others."
        )
    return said


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)
