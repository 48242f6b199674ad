"""Why something that a person asked for was not done, as a page says it."""

from agents.approval.status import ApprovalError
from agents.errors import ToolError
from inbox.admin.refusals import words_of as words_of_domain
from inbox.errors import DomainError
from inbox.reasons.words import worded

# What operations and tools refuse by.
Refused = (ToolError, DomainError, ApprovalError)


def words_of(error: ToolError | DomainError | ApprovalError) -> str:
    """Return why it was refused and what would be accepted, in the reader's language."""
    if isinstance(error, DomainError):
        return words_of_domain(error)
    problems = error.details.get("errors", []) if isinstance(error, ToolError) else []
    told = (f"{one.get('pointer', '')} {one.get('message', '')}".strip() for one in problems)
    return "; ".join([str(worded(error.message)), *told])
