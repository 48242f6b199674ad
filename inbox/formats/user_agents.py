"""What a browser says of itself, as two of the few names that we know; the rest is not kept."""

import re
from dataclasses import dataclass

# So much of it is looked at.
LONGEST = 1000
# Each before those that also name it: an Edge calls itself Chrome and Safari, too.
_BROWSERS = (
    ("Edge", r"\bEdg(?:e|A|iOS)?/"),
    ("Opera", r"\bOPR/|\bOpera\b"),
    ("Samsung Internet", r"\bSamsungBrowser/"),
    ("Vivaldi", r"\bVivaldi/"),
    ("Firefox", r"\bFirefox/|\bFxiOS/"),
    ("Chrome", r"\bChrom(?:e|ium)/|\bCriOS/|\bHeadlessChrome/"),
    ("Safari", r"\bVersion/[\d.]+ (?:Mobile/\w+ )?Safari/"),
)
_SYSTEMS = (
    ("iPhone", r"\biPhone\b"),
    ("iPad", r"\biPad\b"),
    ("Android", r"\bAndroid\b"),
    ("ChromeOS", r"\bCrOS\b"),
    ("Windows", r"\bWindows\b"),
    ("macOS", r"\bMac OS X\b|\bMacintosh\b"),
    ("Linux", r"\bLinux\b|\bX11\b"),
)


@dataclass(frozen=True, slots=True)
class Device:
    """A browser and what it runs on, by names of ours; empty where they are none that we know."""

    browser: str = ""
    system: str = ""


def read_user_agent(text: str) -> Device:
    """Return the device that a `User-Agent` names (RFC 9110 10.1.5), whatever else stands in it."""
    text = text[:LONGEST]
    return Device(_first(_BROWSERS, text), _first(_SYSTEMS, text))


def _first(names: tuple[tuple[str, str], ...], text: str) -> str:
    return next((name for name, pattern in names if re.search(pattern, text)), "")
