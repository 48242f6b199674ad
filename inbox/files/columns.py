"""Text in which columns are parted by spaces, as rows of cells. No Django here."""

from collections import Counter

import regex

from inbox.files.words import CELL

# Words of one cell, by how many spaces part it from the next.
_CELLS = {most: regex.compile(rf"\S+(?: {{1,{most - 1}}}(?! )\S+)*+") for most in (2, 3, 4)}
_GAP = regex.compile(r"(?<=\S) +(?=\S)")
_LONGEST_LINE = 2000
# Where so many gaps are as wide as that between columns, words stand as far apart.
_OFTEN = 0.4


def in_cells(text: str) -> str:
    """Return the lines with ` | ` between what two spaces or more part; wide fonts have more.

    A row that has less cells than the one above gets empty ones, where each of its own stands
    below exactly one of that.
    """
    cell = _CELLS[_least_gap(text)]
    rows: list[str] = []
    above: list[tuple[int, int]] = []
    for line in text.split("\n"):
        found = list(cell.finditer(line[:_LONGEST_LINE].expandtabs(8)))
        spans = [it.span() for it in found]
        places = _places(spans, above)
        cells = [""] * len(above) if places else []
        if places:
            for place, it in zip(places, found, strict=True):
                cells[place] = _plain(it[0])
        else:
            cells = [_plain(it[0]) for it in found]
            above = spans if len(spans) > 1 else []
        rows.append(CELL.join(cells).rstrip() if len(found) > 1 or places else "".join(cells))
    return "\n".join(rows)


def _plain(cell: str) -> str:
    return " ".join(cell.split())


def _least_gap(text: str) -> int:
    """Return how many spaces part columns: more than what mostly stands between words."""
    widths = Counter(len(it[0]) for it in _GAP.finditer(text))
    for most in (2, 3):
        narrower = sum(count for width, count in widths.items() if width < most)
        if widths[most] <= _OFTEN * narrower or widths[most] < 12:
            return most
    return 4


def _places(spans: list[tuple[int, int]], above: list[tuple[int, int]]) -> list[int]:
    """Return below which cell each stands; [] where two stand below one, or one below none."""
    if not 1 < len(spans) < len(above):
        return []
    places = []
    for start, end in spans:
        under = [at for at, (left, right) in enumerate(above) if left < end and start < right]
        if len(under) != 1:
            return []
        places += under
    return places if len(set(places)) == len(places) else []
