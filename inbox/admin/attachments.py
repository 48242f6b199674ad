"""An attachment as it is shown: what it is, what to look out for, whether it can be looked at."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from inbox.files.attachment_risks import risks_of
from inbox.files.images import LARGEST
from inbox.models import Attachment

RISKS: dict[str, Any] = {
    "program": _("A program, or a file that starts one: do not open it."),
    "macros": _("It may hold macros, which run when it is opened."),
    "page": _("A page that opens in the browser, and may imitate a login."),
    "archive": _("An archive: what is in it was not looked at."),
    "two_endings": _("It has two endings; the last one counts."),
    "turned_name": _("Its name holds characters that turn the direction of text."),
    "unseen_in_name": _("Its name holds characters that cannot be seen."),
    "padded_name": _("Its name is padded, to push its ending out of sight."),
    "other_type": _("Its name and its type say different things."),
}
# Worth a word, and no reason to fear.
MILD = frozenset({"archive"})
_SHOWN_TYPES = frozenset({"image/png", "image/jpeg", "image/jpg", "image/pjpeg", "image/gif"})


@dataclass(frozen=True, slots=True)
class Enclosed:
    """An attachment with what is said of it."""

    file: Attachment
    risks: tuple[tuple[str, bool], ...]

    @property
    def may_be_seen(self) -> bool:
        """Whether it says to be a picture of a kind and size that the page shows on demand."""
        return self.file.content_type.lower() in _SHOWN_TYPES and self.file.size <= LARGEST


def read_attachment(file: Attachment) -> Enclosed:
    """Lay out an attachment; each risk in words, and whether it is a grave one."""
    codes = risks_of(file.filename, file.content_type)
    return Enclosed(file, tuple((str(RISKS[code]), code not in MILD) for code in codes))
