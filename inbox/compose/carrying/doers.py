"""Who is to do what a goal names with a bare verb, by what the thread says of it; pure.

"Send the CV" is for us to do where the letter asks "could you send …", and for the reader where it
offers "shall we send …".
"""

import regex

from inbox.languages.carrying import Carrying

_FLAGS = regex.IGNORECASE


def doing(template: str, what: str, thread: str, words: Carrying) -> str:
    """Return the template for who does it by the thread, without "~" where that tells it."""
    bare = template.lstrip("~")
    if not template.startswith("~") or bare not in words.doings or not words.doings[0]:
        return template
    verb = regex.match(r"\p{L}+", what)
    if verb is None:
        return template
    ours = _says(words.wanted, verb[0], thread)
    theirs = _says(words.offered, verb[0], thread)
    if ours == theirs:
        return template
    return words.doings[0] if ours else words.doings[1]


def _says(before: str, verb: str, thread: str) -> bool:
    """Return True if the thread has the verb behind such words, or as the second one there."""
    if not before:
        return False
    second = r"(?:[^.?!]{0,80}\s(?:and|or)\s)?(?:\p{L}+ly\s)?"
    pattern = rf"(?<!\p{{L}})(?:{before})\s{second}{verb}(?!\p{{L}})"
    return regex.search(pattern, " ".join(thread.split()), _FLAGS, timeout=0.5) is not None
