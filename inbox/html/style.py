"""What the declarations of an element hide. Written rules, so that a mail always gets one answer.

Hidden is: `display: none`, `visibility: hidden` or `collapse`, `content-visibility: hidden`,
`opacity` below 0.1, `mso-hide: all`, a font of at most 2 px (until a child sets a larger one), a
height or width of at most 1 px that cuts what overflows, text moved 100 px or more out of the page
or scaled to nothing, `clip` to nothing, and text in the colour of its background, or nearly (white
where none is set).
"""

import re
from functools import lru_cache
from typing import NamedTuple

from inbox.html.colours import TRANSPARENT, colour

_NUMBER = re.compile(
    r"(-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?)(px|pt|em|rem|ex|ch|%|in|cm|mm|vw|vh)?"
)
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px)|inset\(\s*(?:50|100)%")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?")
# The value that stands in for what is not set, and a sum of one.
_FALLBACK = re.compile(r"var\(\s*--[\w-]{1,100}\s*,([^()]{0,200})\)")
_CALC = re.compile(r"calc\(\s*([^()]{1,100})\)")
_FUNCTION = re.compile(r"(scale|translate|opacity)(?:x|y|3d)?\(([^()]{0,100})\)")
# Towards the left and the top, and towards where pages can be scrolled to.
_FAR, _FAR_ON = 100, 2000
_TINY = 2
_TO_PIXELS = {"": 1.0, "px": 1.0, "pt": 1.33, "em": 16.0, "rem": 16.0, "ex": 8.0, "ch": 8.0,
              "%": 0.16, "in": 96.0, "cm": 37.8, "mm": 3.78, "vw": 10.0, "vh": 10.0}  # fmt: skip
_SIZES = tuple(
    f"{least}{name}" for name in ("height", "width", "block-size", "inline-size")
    for least in ("", "max-")
)  # fmt: skip
# An image or gradient: nothing can be said to have its colour.
UNKNOWN = "unknown"
# The texts of styles that are remembered; longer ones are read each time.
_LONGEST_KEPT = 4000


class Style(NamedTuple):
    """What a style attribute says of whether its text can be seen; "" and None where nothing."""

    gone: bool = False
    tiny: bool | None = None
    invisible: bool | None = None
    colour: str = ""
    background: str = ""


PLAIN = Style()


def read_style(text: str) -> Style:
    """Return what declarations hide: a style attribute, or those of rules and it in their order."""
    return _remembered(text) if len(text) <= _LONGEST_KEPT else _read(text)


def _read(text: str) -> Style:
    declared = _declared(text)
    return Style(
        gone=_is_gone(declared),
        tiny=_is_tiny(declared),
        invisible=_is_invisible(declared.get("visibility", "")),
        colour=colour(declared.get("-webkit-text-fill-color") or declared.get("color", "")),
        background=_background(declared),
    )


_remembered = lru_cache(maxsize=4096)(_read)


def _declared(text: str) -> dict[str, str]:
    """Return the values by name: of one name the last, or the last that is `!important`."""
    plain: dict[str, str] = {}
    important: dict[str, str] = {}
    for declaration in _without_escapes(text.lower()).split(";"):
        name, colon, value = declaration.partition(":")
        if colon:
            bare, mark, _ = value.partition("!")
            (important if mark else plain)[name.strip()] = _worked_out(bare)
    return plain | important


def _worked_out(value: str) -> str:
    if "var(" in value:
        value = _FALLBACK.sub(r"\1", value)
    return _CALC.sub(r"\1", value).strip() if "calc(" in value else value.strip()


def _without_escapes(text: str) -> str:
    """Return CSS without the comments and escapes under which a word can hide."""
    if "/*" in text:
        text = _COMMENT.sub("", text)
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16) % 0x80), text) if "\\" in text else text


def _pixels(value: str) -> float | None:
    number = _NUMBER.match(value)
    return float(number[1]) * _TO_PIXELS[number[2] or ""] if number else None


def _at_most(value: str, most: float) -> bool:
    pixels = _pixels(value)
    return pixels is not None and pixels <= most


def _is_gone(declared: dict[str, str]) -> bool:
    get = declared.get
    if get("display") == "none" or get("mso-hide") == "all":
        return True
    if get("content-visibility") == "hidden" or _is_see_through(get("opacity", "")):
        return True
    if get("overflow", "").startswith(("hidden", "clip")) and _has_no_room(declared):
        return True
    if _CLIPPED.match(get("clip", "")) or _CLIPPED.match(get("clip-path", "")):
        return True
    return _is_moved_away(declared) or _is_transformed_away(declared)


def _is_see_through(opacity: str) -> bool:
    share = _pixels(opacity.removesuffix("%"))
    return share is not None and share < (10 if opacity.endswith("%") else 0.1)


def _has_no_room(declared: dict[str, str]) -> bool:
    if any(_at_most(declared.get(name, ""), 1) for name in _SIZES):
        return True
    # Lines without a height, in a box that is as high as they are.
    return "height" not in declared and _at_most(declared.get("line-height", ""), 0)


def _is_moved_away(declared: dict[str, str]) -> bool:
    names = ["text-indent", "margin-left", "margin-top", "translate"]
    if declared.get("position") in ("absolute", "fixed", "relative"):
        names += ["left", "top", "right", "bottom"]
    return any(_is_far(declared.get(name, "")) for name in names)


def _is_far(value: str) -> bool:
    pixels = _pixels(value)
    return pixels is not None and not -_FAR < pixels < _FAR_ON


def _is_transformed_away(declared: dict[str, str]) -> bool:
    if declared.get("scale") and _at_most(declared["scale"].removesuffix("%"), 0.05):
        return True
    for name in ("transform", "filter"):
        for function, inside in _FUNCTION.findall(declared.get(name, "")):
            values = [value.strip() for value in inside.split(",")]
            if function == "translate" and any(map(_is_far, values)):
                return True
            if function == "scale" and any(_at_most(value, 0.05) for value in values):
                return True
            if function == "opacity" and _is_see_through(values[0]):
                return True
    return False


def _is_tiny(declared: dict[str, str]) -> bool | None:
    size = _pixels(declared.get("font-size", ""))
    if size is None and "font" in declared:
        # The last number before the height of lines: what stands before it is a weight.
        sizes = [_pixels(word) for word in declared["font"].partition("/")[0].split()]
        size = next((size for size in reversed(sizes) if size is not None), None)
    if size is None:
        return False if declared.get("font-size") else None
    return size <= _TINY


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
