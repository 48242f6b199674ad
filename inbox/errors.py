"""How the domain says no; the edge renders it into the error shape of its contract."""

from typing import Literal, TypeAlias

from inbox.reasons.text import ReasonText
from inbox.reasons.text import phrase as _

ErrorCode: TypeAlias = Literal[
    "invalid_input",
    "not_found",
    "conflict",
    "permission_denied",
    "policy_blocked",
    "provider_error",
]


class DomainError(Exception):
    """An operation refused, in words for whoever asked.

    `code` is one of the house error's codes. `field` is the argument at fault, by its name or as a
    JSON pointer below it (`to/0`), and `accepted` says what would be taken; both may be empty.
    """

    def __init__(
        self, code: ErrorCode, message: ReasonText, *, field: str = "", accepted: str = ""
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.field = field
        self.accepted = accepted

    @property
    def details(self) -> dict[str, str]:
        """What the error shape's `details` says: the field and what it would accept."""
        details = {"field": self.field, "accepted": self.accepted}
        return {name: words for name, words in details.items() if words}


def invalid(field: str, message: ReasonText, accepted: str = "") -> DomainError:
    """Return the error for an argument that cannot be taken."""
    return DomainError("invalid_input", message, field=field, accepted=accepted)


def not_found(kind: str, public_id: str, field: str = "") -> DomainError:
    """Return the error for a row that does not exist, or that the caller may not see: the same."""
    return DomainError(
        "not_found", _("There is no %(kind)s %(id)s.", kind=kind, id=repr(public_id)), field=field
    )
