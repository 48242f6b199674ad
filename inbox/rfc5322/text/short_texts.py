"""What is searched beside the columns of a short row, as an event, a card or a file."""

from collections.abc import Iterable

from inbox.rfc5322.text.language import detect_language
from inbox.rfc5322.text.names import name_words
from inbox.rfc5322.text.unspaced import bigrams
from inbox.rfc5322.text.word_forms import STEM_MARK, extra_words, stemmed_languages

# Of so few characters the language often cannot be told; then the words have the stems of each
# language, but for stems so short that they are other words elsewhere.
_SHORT, _SHORTEST_STEM = 400, len(STEM_MARK) + 5
_SAMPLE, _LONGEST = 20_000, 20_000


def words_beside(text: str, names: Iterable[str] = ()) -> str:
    """Return what the full-text index lacks of a text, and names that stand in no column."""
    text = text[:_SAMPLE]
    named = list(dict.fromkeys(name for name in names if name))
    language = detect_language(text)
    forms = dict.fromkeys([*bigrams(text), *extra_words(text, language)])
    if not language:
        for code in stemmed_languages():
            stems = extra_words(text[:_SHORT], code)
            forms.update((it, None) for it in stems if len(it) >= _SHORTEST_STEM)
    return " ".join([*named, *name_words("\n".join(named)).split(), *forms])[:_LONGEST]
