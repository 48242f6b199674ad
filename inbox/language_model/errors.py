"""Why a model said nothing that can be used: codes, worded where they are told."""

from typing import Final

from inbox.reasons import ReasonText, say

# What may well go better a little later.
_PASSING: Final = frozenset({"unreachable", "slow", "busy", "server_error"})
# Nobody read the prompt, so that it cost nothing.
FREE: Final = frozenset(
    {"not_installed", "unset", "not_allowed", "unreachable", "refused_key", "busy"}
)
CODES: Final = (
    "unset", "not_installed", "not_allowed", "unreachable", "slow", "busy", "refused_key",
    "refused", "server_error", "too_long", "garbled", "unfinished", "over_tokens", "over_seconds",
)  # fmt: skip


class ModelError(Exception):
    """The model gave nothing that can be used, by its code; all else goes on without it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code

    @property
    def is_passing(self) -> bool:
        """Return True if it may well go better in a minute."""
        return self.code in _PASSING

    @property
    def words(self) -> ReasonText:
        """Why, in words."""
        return say(f"model_{self.code}")
