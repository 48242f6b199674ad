"""Who speaks to us over MCP."""

from dataclasses import dataclass

from agents.dispatching.statements import Standing
from agents.surfaces.mcp.profiles import Profile
from inbox.actor import Actor

# The revision with elicitation by URL that begins with `initialize`, as older ones do.
URL_HANDSHAKE = "2025-11-25"
# From this one on, each request says everything.
STATELESS = "2026-07-28"


@dataclass(frozen=True, slots=True)
class Caller:
    """A bearer with the profile it chose, and what its calls have in common (empty: nothing)."""

    actor: Actor
    profile: Profile
    session: str = ""
    # How an agent stands, as of the request that it makes; None: that is asked for.
    standing: Standing | None = None
