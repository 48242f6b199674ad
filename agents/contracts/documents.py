"""Schema documents by `$id`, each made when it is first asked for.

A process declares some three hundred, and few processes serve more than a handful.
"""

from collections.abc import Callable, Iterator, Mapping

from agents.contracts.schemas import Schema


class Documents(Mapping[str, Schema]):
    """The documents by `$id`; one that was made stays."""

    def __init__(self) -> None:
        self._makers: dict[str, Callable[[], Schema]] = {}
        self._made: dict[str, Schema] = {}

    def __getitem__(self, schema_id: str) -> Schema:
        if schema_id not in self._made:
            self._made[schema_id] = self._makers[schema_id]()
        return self._made[schema_id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)

    def add(self, schema_id: str, make: Callable[[], Schema]) -> None:
        """Take in what makes a document; raises ValueError for a second one of the `$id`."""
        if schema_id in self._makers:
            raise ValueError(f"two schemas have the $id {schema_id!r}")
        self._makers[schema_id] = make
