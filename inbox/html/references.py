"""Character references written so that parsers take them in linear time (HTML 13.2.5.72).

html5ever looks at all that follows for each `&` that is a name or nothing at all: many of them, and
a letter of five megabytes takes half an hour. References by number cost it little.
"""

import re
from html.entities import html5

# So many are as good as none.
_FEW = 1000
# No letter has so many; of more, what follows the `&` is shown as it is written.
_MOST = 100_000
_REFERENCE = re.compile(
    r"&(?:(?P<number>#(?:[0-9]|[xX][0-9a-fA-F]))"
    r"|(?P<name>[a-zA-Z][a-zA-Z0-9]{0,31})(?P<end>;|(?=[^a-zA-Z0-9=])|\Z)?)?"
)
_AMPERSAND = "&#38;"
# Those that need no semicolon stand for themselves within longer words too, but not everywhere.
_OPEN = {name for name in html5 if not name.endswith(";")}
_LENGTHS = sorted({len(name) for name in _OPEN})


def number_references(html: str) -> str:
    """Return the same document with references by number, where it has very many."""
    return _Numbering().number(html) if html.count("&") > _FEW else html


class _Numbering:
    """Writes each reference by its number; of those that say two things, only the first few."""

    def __init__(self) -> None:
        self.seen = self.doubtful = 0

    def number(self, html: str) -> str:
        """Return the document."""
        return _REFERENCE.sub(self._one, html)

    def _one(self, found: re.Match[str]) -> str:
        self.seen += 1
        if self.seen > _MOST:
            return found[0][1:]
        if found["number"]:
            return found[0]
        name, end = found["name"] or "", found["end"]
        letters = html5.get(f"{name};") if end == ";" else html5.get(name) if end == "" else None
        if letters is not None:
            return "".join(f"&#{ord(letter)};" for letter in letters)
        # `&copy=1` is a sign in a text and none in an address.
        if any(name[:length] in _OPEN for length in _LENGTHS):
            self.doubtful += 1
            if self.doubtful <= _FEW:
                return found[0]
        return _AMPERSAND + found[0][1:]
