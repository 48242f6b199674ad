"""What every signed-in way to a provider has: its requests are counted, and it is closed."""

from typing import Generic, Protocol, Self, TypeVar


class Closing(Protocol):
    """Calls to a server over connections that are kept."""

    @property
    def calls(self) -> int:
        """How many requests were made."""
        ...

    def close(self) -> None:
        """Close the connections."""
        ...


Api = TypeVar("Api", bound=Closing)


class HttpStore(Generic[Api]):
    """A way to what lies at a provider, by calls that are signed in."""

    def __init__(self, api: Api) -> None:
        self._api = api

    @property
    def calls(self) -> int:
        """How many requests were made."""
        return self._api.calls

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._api.close()
