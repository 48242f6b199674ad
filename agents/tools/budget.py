"""How much text one answer shows: a model reads all of it, and pays for it."""

from collections.abc import Sequence

# Characters of texts in one answer: a list, or a conversation with its messages.
MOST_TEXT = 40_000
# Characters of HTML beside them; it says what the text says, and is left out first.
MOST_HTML = 60_000


def fair_cut(lengths: Sequence[int], most: int = MOST_TEXT) -> int:
    """Return the greatest length to cut texts at so that together they have at most `most`.

    What is shorter stays whole and leaves its share to the others. All in characters; at least 1.
    """
    left = most
    ordered = sorted(lengths)
    for place, length in enumerate(ordered):
        share = left // (len(ordered) - place)
        if length > share:
            return max(share, 1)
        left -= length
    return max(ordered[-1:] or [1])


def cut(text: str, length: int) -> str:
    """Return the beginning of a text in at most so many characters, with a mark where cut."""
    return text if len(text) <= length else text[: max(length - 1, 1)] + "…"
