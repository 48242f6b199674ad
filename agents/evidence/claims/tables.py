"""Tables with commas between their cells, in which `7,08:30` is no number; pure."""

from functools import lru_cache

from inbox.languages import lazy_regex

_ROW = lazy_regex(r"[^\n]*,[^\n]*")
# A comma between two cells: behind it stands no blank.
_COMMA = lazy_regex(r"\"[^\"\n]*\"(*SKIP)(*FAIL)|,(?!\s)")
_LEAST_COMMAS, _LEAST_ROWS = 2, 2
_MOST_TEXTS = 512


@lru_cache(maxsize=_MOST_TEXTS)
def cells_apart(text: str) -> str:
    """Return a text with semicolons between the cells of a table, so that places hold."""
    rows = [match.span() for match in _ROW.finditer(text)]
    counts = [len(_COMMA.findall(text[start:end])) for start, end in rows]
    usual = max(counts, key=counts.count, default=0)
    is_table = usual >= _LEAST_COMMAS and counts.count(usual) >= _LEAST_ROWS
    if not is_table:
        return text
    lines = {start: end for (start, end), n in zip(rows, counts, strict=True) if n == usual}
    made, last = [], 0
    for start, end in lines.items():
        made += [text[last:start], _COMMA.sub(";", text[start:end])]
        last = end
    return "".join([*made, text[last:]])
