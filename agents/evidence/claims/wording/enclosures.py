"""Files that a message says go with it, and those that do; pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import regex

from agents.evidence.claims.distance import slips
from agents.evidence.claims.readers.codes import FILE_NAME
from agents.evidence.claims.records import AttachedFile, Cited, Mark, State
from agents.evidence.claims.sentences import sentence_around
from agents.evidence.claims.wording.documents import is_another
from inbox.languages import any_of, lazy_regex

_ATTACHED = lazy_regex(
    lambda: (
        rf"(?<![\p{{Latin}}\p{{Cyrillic}}]){any_of(lambda it: it.claims.attached)}"
        r"(?![\p{Latin}\p{Cyrillic}])"
    ),
    regex.IGNORECASE,
)
_NOT_ATTACHED = lazy_regex(lambda: any_of(lambda it: it.claims.others_attached), regex.IGNORECASE)


def check_attached(body: str, attached: Sequence[AttachedFile]) -> Iterator[Mark]:
    """Yield a mark for each file that is named, and one where nothing goes with the message.

    `body` is the message's own prose.
    """
    names = [one.name for one in attached]
    for match in FILE_NAME.finditer(body):
        if says_attached(sentence_around(body, *match.span())) or match[0] in names:
            yield _named(match, attached)
    said = next((it for it in _ATTACHED.finditer(body) if _is_ours(body, it)), None)
    if said is None:
        return
    made = Mark("attachment", "body", said[0], *said.span(), "nowhere")
    if attached:
        is_other = is_another(sentence_around(body, *said.span()), attached)
        cited, expected = _cited(attached), attached[0].name if is_other else ""
        state: State = "differs" if is_other else "found"
        yield replace(made, state=state, expected=expected, sources=cited)
    else:
        yield made


def says_attached(sentence: str) -> bool:
    """Return True if a sentence says that something of ours goes with the message."""
    return _ATTACHED.search(sentence) is not None and _NOT_ATTACHED.search(sentence) is None


def _is_ours(body: str, match: regex.Match[str]) -> bool:
    return _NOT_ATTACHED.search(sentence_around(body, *match.span())) is None


def _named(match: regex.Match[str], attached: Sequence[AttachedFile]) -> Mark:
    wanted = match[0].casefold()
    same = [one for one in attached if one.name.casefold() == wanted]
    if same or not attached:
        state: State = "found" if same else "nowhere"
        return Mark("attachment", "body", match[0], *match.span(), state, sources=_cited(same))
    near = [one for one in attached if slips(one.name.casefold(), wanted, 4) <= 4] or attached
    return Mark(
        "attachment", "body", match[0], *match.span(), "differs", near[0].name, _cited(near)
    )


def _cited(files: Sequence[AttachedFile]) -> tuple[Cited, ...]:
    return tuple(Cited("attachment", one.name, one.name) for one in files[:5])
