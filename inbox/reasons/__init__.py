"""Why something waits, ended or was surfaced: codes with parameters, worded where they are told."""

from inbox.reasons.text import Reason, ReasonText, own, say, together

__all__ = ["Reason", "ReasonText", "own", "say", "together"]
