"""Names of people as they are searched: without marks, spelled out, in pairs of characters."""

import re

from inbox.rfc5322.text.folds import folded, spelled_out
from inbox.rfc5322.text.unspaced import bigrams

_WORD = re.compile(r"[^\W\d_]+")


def name_words(name: str) -> str:
    """Return the words that the full-text index lacks of a name; "" for most."""
    if name.isascii():
        return ""
    words = [word.lower() for word in _WORD.findall(name) if not word.isascii()]
    forms = [form for word in words for form in (folded(word), spelled_out(word)) if form != word]
    return " ".join(dict.fromkeys([*bigrams(name), *forms]))
