"""Opaque prefixed ids: integers inside, `thr_x8Fq2…` at the edge, computed from the key."""

from functools import lru_cache
from typing import Any, cast

from sqids.sqids import Sqids

# Its own way of shuffling, by the name that Python gives what is a class's own.
_shuffle = cast("Any", Sqids)._Sqids__shuffle


@lru_cache(maxsize=4096)
def _shuffled(alphabet: str) -> str:
    shuffled: str = _shuffle(None, alphabet)
    return shuffled


class _KeptShuffles(Sqids):
    """Sqids that shuffle each alphabet once: there are few, and it is most of the work."""

    def _Sqids__shuffle(self, alphabet: str) -> str:  # noqa: N802
        return _shuffled(alphabet)


_ALPHABET = "k3G7QAe51FCsPW92uEOyq4Bg6Sp8YzVTmnU0liwDdHXLajZrfNhobJIRcMvKxt"
_SQIDS = _KeptShuffles(alphabet=_ALPHABET, min_length=10)


@lru_cache(maxsize=65536)
def encode(prefix: str, *numbers: int) -> str:
    """Return the public id of a row, such as `encode("thr", 12)`."""
    return f"{prefix}_{_SQIDS.encode(numbers)}"


@lru_cache(maxsize=65536)
def decode(prefix: str, public_id: str) -> tuple[int, ...] | None:
    """Return the numbers in `public_id`; None when it is malformed or of another kind.

    Only the one canonical spelling of an id is accepted.
    """
    head, _, tail = public_id.partition("_")
    if head != prefix or not tail.isascii() or not tail.isalnum() or len(tail) > 64:
        return None
    numbers = tuple(_SQIDS.decode(tail))
    if not numbers or any(number > 2**63 - 1 for number in numbers):
        return None
    return numbers if _SQIDS.encode(numbers) == tail else None
