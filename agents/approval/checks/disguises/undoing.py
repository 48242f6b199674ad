"""What a text says once encodings are undone, one over the other; pure, and linear in its length.

`encodings` has those of bytes, `writing` what letters go through, and `spelled_numbers` numbers in
words. A shift of the alphabet needs none: `likeness` compares by steps.
"""

from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice

from agents.approval.checks.disguises import encodings, spelled_numbers, writing
from agents.approval.checks.disguises.reading import LONGEST, Undone, well_formed

# So many readings of a text, so many encodings on top of each other.
_MOST, _DEEPEST = 32, 4

_Decoder = Callable[[str], Iterator[Undone]]
_DECODERS: tuple[_Decoder, ...] = (
    writing.plain, writing.together, writing.transfer, encodings.hexadecimal, encodings.bits,
    encodings.numbers, encodings.base32, encodings.base64, encodings.base85,
    spelled_numbers.digits, spelled_numbers.large, spelled_numbers.shifted_digits, writing.leet,
    writing.in_lines, writing.backwards,
)  # fmt: skip


@lru_cache(maxsize=8)
def undo(text: str) -> tuple[Undone, ...]:
    """Return the readings of a text beside the one that it has, the nearest first.

    The last texts' are kept, for the checks of one message that ask for them.
    """
    found: dict[str, Undone] = {}
    seen = {text}
    level = [Undone(well_formed(text[:LONGEST]), "")]
    for _ in range(_DEEPEST):
        level = list(islice(_next(level, seen), _MOST - len(found)))
        found |= {one.text: one for one in level}
        if not level or len(found) >= _MOST:
            break
    return tuple(found.values())


def _next(level: list[Undone], seen: set[str]) -> Iterator[Undone]:
    for before in level:
        for decode in _DECODERS:
            for one in decode(before.text):
                text = well_formed(one.text[:LONGEST])
                if text and text not in seen:
                    seen.add(text)
                    yield Undone(text, before.excerpt or one.excerpt)
