"""One honest line of what a text says: its first sentence that says something."""

from inbox.classify.reading import clip, split_sentences
from inbox.languages import any_of, lazy

MOST = 160
_GREETING = lazy(
    lambda: (
        rf"(?i)^\W*{any_of(lambda it: it.letters.greetings)}\b[^.!?\n]{{0,60}}$"
        rf"|^{any_of(lambda it: it.letters.greeting_lines)}$"
    )
)
# "Imogen,", "To whoever reads this,": a short line that ends in a comma.
_ADDRESSED = lazy(r"^(?:\S+ ){0,4}\S+[,،、]$")
_PICTURE = lazy(r"\[image:[^\]\n]{0,200}\]")
_WORDS = lazy(r"[^\W\d_]{2,}")


def gist(title: str, content: str) -> str:
    """Return the first sentence that is no greeting, else the title; at most 160 characters."""
    for sentence in split_sentences(clip(_PICTURE.sub(" ", content[:4000]))):
        line = " ".join(sentence.text.split()).strip("-*=_#> \t")
        if _WORDS.search(line) and not _is_greeting(line):
            return _short(line)
    return _short(" ".join(title.split()))


def _is_greeting(line: str) -> bool:
    return any(form.match(line) for form in (_GREETING, _ADDRESSED))


def _short(line: str) -> str:
    if len(line) <= MOST:
        return line
    cut = line[: MOST - 1]
    return (cut.rpartition(" ")[0] if " " in cut[MOST // 2 :] else cut).rstrip(" ,;:") + "…"
