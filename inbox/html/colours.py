"""Colours of CSS as six hex digits, as far as it takes to say which texts nobody can see.

Names, hex, `rgb()` and `hsl()` are read exactly (CSS Color 4, sections 5 to 8); of `hwb()`, `lab()`
and their like only whether they are white or black, nearly.
"""

import colorsys
import re
from collections.abc import Sequence
from functools import lru_cache

import webcolors

TRANSPARENT = "transparent"
_FUNCTION = re.compile(r"(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(([^()]{1,80})\)")
_BETWEEN = re.compile(r"[\s,/]+")
_HEX = re.compile(r"#?((?:[0-9a-f]{3,4}){1,2})")
_PART = re.compile(r"(-?(?:\d+\.?\d*|\.\d+)(?:e-?\d+)?)(%|deg)?|none")
# What is less than this covers nothing.
_LEAST_ALPHA = 0.1
_SYSTEM = {"canvas": "ffffff", "field": "ffffff", "canvastext": "000000", "fieldtext": "000000"}
# Of these the first part says how light they are, up to so much.
_LIGHTEST = {"lab": 100.0, "lch": 100.0, "oklab": 1.0, "oklch": 1.0}
_NEARLY_WHITE, _NEARLY_BLACK = 0.97, 0.05


@lru_cache(maxsize=2048)
def colour(text: str) -> str:
    """Return a colour as six hex digits, `transparent`, or "" when it is none."""
    text = text.strip().lower()
    if text == TRANSPARENT:
        return TRANSPARENT
    if text in _SYSTEM:
        return _SYSTEM[text]
    if found := _HEX.fullmatch(text):
        return _of_digits(found[1])
    if found := _FUNCTION.fullmatch(text):
        return _of_function(found[1], found[2])
    try:
        return str(webcolors.name_to_hex(text))[1:]
    except ValueError:
        return ""


@lru_cache(maxsize=4096)
def nearly_same(one: str, other: str) -> bool:
    """Return True if nobody can tell two colours apart: 24 steps at most over all channels."""
    if one == other:
        return True
    if len(one) != 6 or len(other) != 6:
        return False
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (0, 2, 4))
    return sum(abs(left - right) for left, right in pairs) <= 24


def _of_digits(digits: str) -> str:
    whole = digits if len(digits) > 4 else "".join(digit * 2 for digit in digits)
    if len(whole) == 8 and int(whole[6:], 16) < _LEAST_ALPHA * 255:
        return TRANSPARENT
    return whole[:6]


def _of_function(name: str, inside: str) -> str:
    parts = [_PART.fullmatch(part) for part in _BETWEEN.split(inside.strip())]
    found = [part for part in parts if part is not None]
    if len(found) != len(parts) or len(found) not in (3, 4):
        return ""
    if len(found) == 4 and _share(found[3], 1.0) < _LEAST_ALPHA:
        return TRANSPARENT
    if name == "rgb":
        return _in_hex([_share(part, 255.0) for part in found[:3]])
    if name == "hsl":
        turn, full, light = _value(found[0]) / 360, _share(found[1], 100), _share(found[2], 100)
        return _in_hex(colorsys.hls_to_rgb(turn % 1.0, light, full))
    if name == "hwb":
        return _of_lightness(_share(found[1], 100), 1 - _share(found[2], 100))
    light = _share(found[0], _LIGHTEST[name])
    return _of_lightness(light, light)


def _of_lightness(white: float, not_black: float) -> str:
    if white >= _NEARLY_WHITE:
        return "ffffff"
    return "000000" if not_black <= _NEARLY_BLACK else ""


def _value(part: re.Match[str]) -> float:
    return float(part[1] or 0)


def _share(part: re.Match[str], whole: float) -> float:
    """Return a part between 0 and 1: a percentage, or a number of which so much is the whole."""
    share = _value(part) / (100.0 if part[2] == "%" else whole)
    return min(max(share, 0.0), 1.0)


def _in_hex(shares: Sequence[float]) -> str:
    return "".join(f"{round(share * 255):02x}" for share in shares)
