"""Words for the full-text index that the text alone does not give it."""

import re
from collections.abc import Iterable

from inbox.rfc5322.text.unspaced import bigrams
from inbox.rfc5322.text.word_forms import extra_words

_NAME_MARKS = re.compile(r"[\W_]+")
_SAMPLE = 20_000


def search_words(text: str, names: Iterable[str], language: str) -> str:
    """Return what is searched beside a text: names of files, bigrams, and other forms of words.

    The names stand whole and in words; the text is that of the subject, the sender's name and the
    body, the language its ISO 639-1 code or "".
    """
    given = [name for name in names if name]
    words = [_NAME_MARKS.sub(" ", name).strip() for name in given]
    text = text[:_SAMPLE]
    forms = extra_words("\n".join([*words, text]), language)
    return " ".join([*given, *words, *bigrams(text), *forms])
