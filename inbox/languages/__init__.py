"""What is known of each natural language: one YAML file each. No Django here."""

from inbox.languages.loading import ENGLISH, LanguageError, language, languages, read_language
from inbox.languages.patterns import any_of, lazy, lazy_regex, names_of, numbers_of, words_of

__all__ = [
    "ENGLISH",
    "LanguageError",
    "any_of",
    "language",
    "languages",
    "lazy",
    "lazy_regex",
    "names_of",
    "numbers_of",
    "read_language",
    "words_of",
]
