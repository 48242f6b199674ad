"""What an answer of a search says of words that were looked for in place of others."""

import json
from collections.abc import Mapping


def corrections_of(instead: Mapping[str, str]) -> list[str]:
    """Return a remark, where words that no mail has were replaced by ones that it has."""
    if not instead:
        return []
    typed, shown = (", ".join(map(_quoted, words)) for words in (instead, instead.values()))
    return [f"Nothing for {typed}, showing {shown}. In quotation marks a word is taken as it is."]


def _quoted(word: str) -> str:
    return json.dumps(word, ensure_ascii=False)
