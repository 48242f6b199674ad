"""What stands beside a file's text for the search: its name in words, and other forms of words."""

import re

from inbox.background.jobs import Payload, handler
from inbox.models import FileNode
from inbox.operations.renewing import renew_words
from inbox.rfc5322.text.short_texts import words_beside

_NAME_MARKS = re.compile(r"[\W_]+")


def words_of_file(name: str, text: str) -> str:
    """Return the name in words, pairs of characters of unspaced scripts, other forms of words."""
    words = _NAME_MARKS.sub(" ", name).strip()
    return f"{words} {words_beside(f'{words}{chr(10)}{text}')}".strip()


@handler("search.files")
def renew_forms(payload: Payload) -> None:
    """Renew what stands beside the next files after a key, and go on."""
    rows = FileNode.objects.only("pk", "name", "text", "search_extra")
    renew_words(
        "search.files", rows, int(payload["after"]),
        lambda files: [words_of_file(file.name, file.text) for file in files],
    )  # fmt: skip
