"""Opaque prefixed ids: integers inside, `thr_x8Fq2…` at the edge, computed from the key."""

from functools import lru_cache

from sqids.sqids import Sqids

_ALPHABET = "k3G7QAe51FCsPW92uEOyq4Bg6Sp8YzVTmnU0liwDdHXLajZrfNhobJIRcMvKxt"
_SQIDS = Sqids(alphabet=_ALPHABET, min_length=10)


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
