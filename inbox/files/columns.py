"""The lines of a page, of whose cells it is known where they stand, as rows. No Django here."""

import re

from inbox.files.words import CELL

_LONGEST_LINE = 4000
# Between the cells of a line, each `left,right,text` in points.
_UNIT = "\x1f"
# Text that is moved into columns by blanks.
_BLANKS = re.compile(r" {3,}|\t")

Placed = tuple[float, float, str]


def in_cells(text: str) -> str:
    """Return the lines with ` | ` between their cells.

    A row that has less cells than the one above gets empty ones, where each of its own stands
    below exactly one of that.
    """
    rows: list[str] = []
    above: list[Placed] = []
    for line in text.split("\n"):
        cells = _cells(line[:_LONGEST_LINE])
        places = _places(cells, above)
        if places:
            row = [""] * len(above)
            for place, (_, _, said) in zip(places, cells, strict=True):
                row[place] = said
        else:
            row = [said for _, _, said in cells]
            above = cells if len(cells) > 1 else []
        rows.append(CELL.join(row).rstrip())
    return "\n".join(rows)


def _cells(line: str) -> list[Placed]:
    found = []
    for cell in line.split(_UNIT):
        left, _, rest = cell.partition(",")
        right, _, text = rest.partition(",")
        try:
            start, end = float(left), float(right)
        except ValueError:
            # A page that could only be read as plain lines.
            start, end, text = 0.0, 0.0, cell
        parts = _BLANKS.split(text)
        width = (end - start) / max(len(text), 1)
        for part in parts:
            if said := " ".join(part.split()):
                at = start + width * text.find(part)
                found.append((at, at + width * len(part), said))
    return sorted(found, key=lambda it: it[0]) if len(found) > 1 else found


def _places(cells: list[Placed], above: list[Placed]) -> list[int]:
    """Return below which cell each stands; [] where two stand below one, or one below none."""
    if not 1 < len(cells) < len(above):
        return []
    places = []
    for start, end, _ in cells:
        under = [at for at, (left, right, _) in enumerate(above) if left < end and start < right]
        if len(under) != 1:
            return []
        places += under
    return places if len(set(places)) == len(places) else []
