"""Going through the pages as somebody who is signed in."""

import re
from collections import Counter, deque
from urllib.parse import urlsplit

from django.test import Client
from django.urls import Resolver404, ResolverMatch, resolve

STARTS = ("/admin/", "/admin/all/")
_LINK = re.compile(r'href="(/admin/[^"#]*)')
_ADDRESS = re.compile(r'="(/admin/[^"#]*)')


def browse(client: Client, of_a_kind: int = 2) -> dict[str, str]:
    """Return the texts of the pages that links lead to, by their addresses, a few of each kind."""
    waiting, seen, shown = deque(STARTS), Counter[str](), dict[str, str]()
    known = set(STARTS)
    while waiting:
        place = waiting.popleft()
        kind = kind_of(place)
        if not kind or seen[kind] >= of_a_kind:
            continue
        seen[kind] += 1
        answered = client.get(place)
        shown[place] = "" if answered.streaming else answered.content.decode(errors="replace")
        found = [link.replace("&amp;", "&") for link in _LINK.findall(shown[place])]
        waiting.extend(link for link in dict.fromkeys(found) if link not in known)
        known.update(found)
    return shown


def named_in(shown: dict[str, str], of_a_kind: int = 2) -> list[str]:
    """Return what pages name of a row: their links, and where their forms and scripts lead to."""
    found = dict.fromkeys(
        link.replace("&amp;", "&") for text in shown.values() for link in _ADDRESS.findall(text)
    )
    seen = Counter[str]()
    kept = []
    for place in [*shown, *found]:
        kind = kind_of(place)
        match = match_of(place)
        seen[kind] += 1
        if match and (match.kwargs or match.args or "?" in place) and seen[kind] <= of_a_kind:
            kept.append(place)
    return kept


def kind_of(place: str) -> str:
    """Return what pages of one kind have in common; nothing where there is no such page."""
    match = match_of(place)
    return f"{match.route}{'?' * ('?' in place)}" if match else ""


def match_of(place: str) -> ResolverMatch | None:
    """Return the view of an address; None where there is none."""
    try:
        return resolve(urlsplit(place).path)
    except Resolver404:
        return None
