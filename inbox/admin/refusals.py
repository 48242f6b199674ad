"""What an operation refuses, as a page says it."""

from django.utils.translation import gettext as _

from inbox.errors import DomainError
from inbox.reasons.words import worded


def words_of(error: DomainError) -> str:
    """Return why it refused and what it would take, in the reader's language."""
    if not error.accepted:
        return worded(error.message)
    accepted = _(" Accepted: %(what)s.") % {"what": worded(error.accepted)}
    return f"{worded(error.message).rstrip('.')}.{accepted}"
