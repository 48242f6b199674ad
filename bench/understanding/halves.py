"""Files of mail, and the two halves that they are split into by who sent them."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal, TypeAlias

Half: TypeAlias = Literal["tuning", "other"]
HALVES: Final[tuple[Half, ...]] = ("tuning", "other")
# A house whose mail is more than that goes by addresses: its domain would be one half.
_MOST_OF_ONE_DOMAIN: Final = 0.4
_NO_MAIL: Final = frozenset({".cats", ".md", ".py", ".json", ".csv"})


def half_of(name: str) -> Half:
    """Return the half of a sender's domain or address: the same in each run."""
    digest = hashlib.sha256(name.strip().lower().encode()).digest()
    return HALVES[digest[0] & 1]


def split_by(senders: list[str]) -> list[Half]:
    """Return the half of each message by its sender's domain; by the address in a single house."""
    domains = [sender.rpartition("@")[2].lower() for sender in senders]
    most = max((domains.count(domain) for domain in set(domains)), default=0)
    by_domain = most <= _MOST_OF_ONE_DOMAIN * len(domains)
    return [half_of(name) for name in (domains if by_domain else senders)]


def read_files(folder: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield each message of a folder or a Maildir, one a file, in order."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in _NO_MAIL and not path.name.startswith("."):
            yield path, path.read_bytes()
