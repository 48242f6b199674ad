"""What a client calls itself: hostile text, in a line."""

import unicodedata

LONGEST = 60
# Marks that turn the reading direction, or are not seen at all.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_name(given: object) -> str:
    """Return a name without what cannot be seen, cut to a line; empty where there is none."""
    if not isinstance(given, str):
        return ""
    seen = "".join(" " if unicodedata.category(it) in _UNSEEN else it for it in given[:1000])
    return " ".join(seen.split())[:LONGEST].strip()
