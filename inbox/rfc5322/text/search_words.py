"""Words for the full-text index that the text alone does not give it."""

import re
from collections.abc import Iterable

from inbox.rfc5322.text.word_forms import extra_words

# Scripts written without spaces: an index of words finds nothing in them but whole clauses.
UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3\u0e00-\u0e7f]+")
_NAME_MARKS = re.compile(r"[\W_]+")
_SAMPLE = 20_000


def bigrams(text: str) -> list[str]:
    """Return each pair of neighbours in the unspaced scripts of `text`, once, in order."""
    if text.isascii():
        return []
    pairs: dict[str, None] = {}
    for run in UNSPACED.findall(text):
        if len(run) == 1:
            pairs[run] = None
        for index in range(len(run) - 1):
            pairs[run[index : index + 2]] = None
    return list(pairs)


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
