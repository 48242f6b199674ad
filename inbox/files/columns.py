"""Text in which columns are parted by spaces, as rows of cells. No Django here."""

import regex

from inbox.files.words import CELL

_CELL = regex.compile(r"\S+(?: \S+)*+")
_LONGEST_LINE = 2000


def in_cells(text: str) -> str:
    """Return the lines with ` | ` between what two spaces or more part.

    A row that has less cells than the one above gets empty ones, where each of its own stands
    below exactly one of that.
    """
    rows: list[str] = []
    above: list[tuple[int, int]] = []
    for line in text.split("\n"):
        found = list(_CELL.finditer(line[:_LONGEST_LINE].expandtabs(8)))
        spans = [it.span() for it in found]
        places = _places(spans, above)
        cells = [""] * len(above) if places else []
        if places:
            for place, it in zip(places, found, strict=True):
                cells[place] = it[0]
        else:
            cells = [it[0] for it in found]
            above = spans if len(spans) > 1 else []
        rows.append(CELL.join(cells).rstrip() if len(found) > 1 or places else "".join(cells))
    return "\n".join(rows)


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
