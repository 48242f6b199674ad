"""Which sentence stands now for one that an earlier version had."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

import yaml


@cache
def reworded() -> Mapping[str, str]:
    """Return the sentences of refusals and failures as rows may keep them, with those of today."""
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    read: dict[str, str] = yaml.safe_load(text)
    return read
