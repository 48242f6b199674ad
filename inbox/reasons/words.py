"""What pages say in the language of their reader: reasons, and the names of codes."""

from django.utils.translation import gettext, pgettext

from inbox.reasons.reworded import reworded
from inbox.reasons.text import ReasonText, Voice, tell


def worded(text: object) -> str:
    """Return the text of reasons in the reader's language; what somebody wrote, as it is."""
    return tell(text.reasons, " ", READER) if isinstance(text, ReasonText) else str(text or "")


def spoken(code: str) -> str:
    """Return what a code such as `needs_review` is called in the reader's language."""
    words = code.replace("_", " ").replace("-", " ")
    named = pgettext("code", words.lower())
    return words if named == words.lower() else named


def _sentence(stored: str) -> str:
    """Return a sentence in the reader's language, also where it was reworded since it was kept."""
    said = gettext(stored)
    # A sentence that its catalogue does not know comes back as it is.
    return gettext(reworded().get(stored, stored)) if said == stored else said


READER = Voice(_sentence, spoken)
