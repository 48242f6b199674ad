"""The scopes of agents' tokens, as the toolkit asks for them."""

from typing import Any

from oauth2_provider.scopes import BaseScopes

from agents.operations.agents import BASIC_SCOPES, known_scopes


class AgentScopes(BaseScopes):  # type: ignore[misc]
    """Those that some tool needs; without a word, those that most agents need."""

    def get_all_scopes(self) -> dict[str, str]:
        """Return all there are; what they mean is said on our own page."""
        return {scope: scope for scope in known_scopes()}

    def get_available_scopes(self, *args: Any, **kwargs: Any) -> list[str]:
        """Return the same for every client."""
        return known_scopes()

    def get_default_scopes(self, *args: Any, **kwargs: Any) -> list[str]:
        """Return those for a client that asks for none."""
        return list(BASIC_SCOPES)
