"""Why something waits, ended or was surfaced: codes with parameters, worded where they are told."""

from inbox.reasons.text import Reason, ReasonText, of_error, own, phrase, quoted, say, together

__all__ = ["Reason", "ReasonText", "of_error", "own", "phrase", "quoted", "say", "together"]
