"""What a style attribute hides. Written rules, so that the same mail always gets the same answer.

Hidden is: `display: none`, `visibility: hidden` or `collapse`, `opacity` below 0.1,
`mso-hide: all`, a font of at most 1 px (until a child sets a larger one), a height or width of at
most 1 px that cuts what overflows, text moved 100 px or more out of the page, `clip` to nothing,
and text in the colour of its background, or nearly (white where none is set).
"""

import re
from functools import lru_cache
from typing import NamedTuple

_DECLARATION = re.compile(r"([a-z-]+)\s*:\s*([^;]*)")
_NUMBER = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))(px|pt|em|rem|ex|%|in|cm|vw|vh)?")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:[\s,/]+([\d.]+%?))?\s*\)")
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px)|inset\(\s*(?:50|100)%")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?")
_FAR = 100
_TO_PIXELS = {"": 1.0, "px": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "%": 0.16,
              "in": 96.0, "cm": 37.8, "vw": 10.0, "vh": 10.0}  # fmt: skip
_COLOURS = {
    "white": "ffffff", "black": "000000", "red": "ff0000", "lime": "00ff00", "blue": "0000ff",
    "yellow": "ffff00", "silver": "c0c0c0", "gray": "808080", "grey": "808080", "green": "008000",
    "navy": "000080", "whitesmoke": "f5f5f5", "snow": "fffafa", "ivory": "fffff0",
    "lightgray": "d3d3d3", "lightgrey": "d3d3d3",
}  # fmt: skip
TRANSPARENT = "transparent"
# An image or gradient: nothing can be said to have its colour.
UNKNOWN = "unknown"


class Style(NamedTuple):
    """What a style attribute says of whether its text can be seen; "" and None where nothing."""

    gone: bool = False
    tiny: bool | None = None
    invisible: bool | None = None
    colour: str = ""
    background: str = ""
    remote: bool = False


PLAIN = Style()


@lru_cache(maxsize=2048)
def read_style(text: str) -> Style:
    """Return what a style attribute hides."""
    declared = {
        name: value.replace("!important", "").strip()
        for name, value in _DECLARATION.findall(_without_escapes(text.lower()[:4000]))
    }
    return Style(
        gone=_is_gone(declared),
        tiny=_is_tiny(declared),
        invisible=_is_invisible(declared.get("visibility", "")),
        colour=colour(declared.get("color", "")),
        background=_background(declared),
        remote="url(" in text.lower(),
    )


def _without_escapes(text: str) -> str:
    """Return CSS without the comments and escapes under which a word can hide."""
    if "/*" in text:
        text = _COMMENT.sub("", text)
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16) % 0x80), text) if "\\" in text else text


@lru_cache(maxsize=4096)
def nearly_same(one: str, other: str) -> bool:
    """Return True if nobody can tell two colours apart: 24 steps at most over all channels."""
    if one == other:
        return True
    if len(one) != 6 or len(other) != 6:
        return False
    pairs = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (0, 2, 4))
    return sum(abs(left - right) for left, right in pairs) <= 24


def _pixels(value: str) -> float | None:
    number = _NUMBER.match(value)
    return float(number[1]) * _TO_PIXELS[number[2] or ""] if number else None


def _at_most(value: str, most: float) -> bool:
    pixels = _pixels(value)
    return pixels is not None and pixels <= most


def _is_gone(declared: dict[str, str]) -> bool:
    get = declared.get
    if get("display", "") == "none" or get("mso-hide", "") == "all":
        return True
    if get("opacity") and _at_most(get("opacity", "").replace("%", ""), 0.09):
        return True
    cut = get("overflow", "").startswith(("hidden", "clip"))
    if cut and any(
        _at_most(get(name, ""), 1) for name in ("height", "max-height", "width", "max-width")
    ):
        return True
    if _CLIPPED.match(get("clip", "")) or _CLIPPED.match(get("clip-path", "")):
        return True
    return _is_moved_away(declared)


def _is_moved_away(declared: dict[str, str]) -> bool:
    names = ["text-indent", "margin-left", "margin-top"]
    if declared.get("position") in ("absolute", "fixed", "relative"):
        names += ["left", "top", "right", "bottom"]
    return any(_at_most(declared.get(name, ""), -_FAR) for name in names)


def _is_tiny(declared: dict[str, str]) -> bool | None:
    size = _pixels(declared.get("font-size", ""))
    if size is None and "font" in declared:
        sizes = [_pixels(word) for word in declared["font"].split() if word[:1].isdigit()]
        size = sizes[-1] if sizes and "/" not in declared["font"] else None
    if size is None:
        return False if declared.get("font-size") else None
    return size <= 1


def _is_invisible(visibility: str) -> bool | None:
    return {"hidden": True, "collapse": True, "visible": False}.get(visibility)


def _background(declared: dict[str, str]) -> str:
    value = declared.get("background-color") or declared.get("background", "")
    if "url(" in value or "gradient" in value:
        return UNKNOWN
    plain = colour(value)
    if plain == TRANSPARENT:
        return ""  # what lies behind is seen
    if plain or not value:
        return plain
    return next((found for found in map(colour, value.split()) if found), "")


@lru_cache(maxsize=2048)
def colour(text: str) -> str:
    """Return a colour as six hex digits, `transparent`, or "" when it is none."""
    text = text.strip().lower()
    if text == TRANSPARENT:
        return TRANSPARENT
    if text in _COLOURS:
        return _COLOURS[text]
    digits = text.removeprefix("#")
    if len(digits) in (3, 6) and all(digit in "0123456789abcdef" for digit in digits):
        return digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    rgb = _RGB.fullmatch(text)
    if rgb is None:
        return ""
    if rgb[4] is not None and float(rgb[4].rstrip("%.") or 0) == 0:
        return TRANSPARENT
    return "".join(f"{min(int(part), 255):02x}" for part in rgb.groups()[:3])
