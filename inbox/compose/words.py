"""The tables of words by language that stand beside this package's code, as patterns."""

from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import regex
import yaml

Words: TypeAlias = Mapping[str, Mapping[str, str]]


def load_words(name: str) -> Words:
    """Return what the file of this name has: by language, the alternatives under each key."""
    text = Path(__file__).with_name(f"{name}.yaml").read_text(encoding="utf-8")
    loaded: Words = yaml.safe_load(text)
    return loaded


def one_of(words: str) -> str:
    """Return the pattern of alternatives that may stand on several lines."""
    return "(?:" + regex.sub(r"\s*\|\s*", "|", words.strip()) + ")"


def any_of(words: Words, *keys: str) -> str:
    """Return the pattern of what any language has under the keys."""
    return one_of("|".join(it[key] for it in words.values() for key in keys if it.get(key)))
