"""Scripts written without spaces: an index of words finds nothing in them but whole clauses."""

import re

UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3\u0e00-\u0e7f]+")


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
