"""Files that a message says go with it, and those that do; pure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import regex

from agents.evidence.claims.distance import slips
from agents.evidence.claims.readers.codes import FILE_NAME
from agents.evidence.claims.records import AttachedFile, Cited, Mark, Source, State
from agents.evidence.claims.sentences import sentence_around
from agents.evidence.claims.wording.documents import find_apart, find_newer
from agents.evidence.claims.wording.presented import attached_in, presented_in, says_attached


def check_attached(
    body: str, attached: Sequence[AttachedFile], sources: Iterable[Source] = ()
) -> Iterator[Mark]:
    """Yield a mark for each file that is named, for what is said to go along and does not.

    `body` is the message's own prose; `sources` may have a later version of what is attached.
    """
    names = [one.name for one in attached]
    for match in FILE_NAME.finditer(body):
        if says_attached(sentence_around(body, *match.span())) or match[0] in names:
            yield _named(match, attached)
    said = list(attached_in(body))
    if attached:
        yield from _compared(body, said, attached, sources)
    elif said:
        yield Mark("attachment", "body", said[0][0], *said[0].span(), "nowhere")


def _compared(
    body: str, said: Sequence["regex.Match[str]"], attached: Sequence[AttachedFile],
    sources: Iterable[Source],
) -> Iterator[Mark]:  # fmt: skip
    """Yield a mark for each sentence about another file than goes along, or that it is there."""
    different = []
    for match in [*said, *presented_in(body)]:
        sentence = sentence_around(body, *match.span())
        if apart := find_apart(sentence, attached):
            offset = body.index(sentence, max(0, match.start() - len(sentence)))
            start = min(match.start(), offset + apart[0])
            end = max(match.end(), offset + apart[1])
            different.append(_differs(body, start, end, attached[0].name, _cited(attached)))
    found = [find_newer(one, sources) for one in attached] if said and not different else []
    newer = next((it for it in found if it), None)
    if newer and said and newer.name not in {one.name for one in attached}:
        cited = (Cited("file", newer.source.id, newer.name),)
        different.append(_differs(body, *said[0].span(), newer.name, cited))
    yield from different
    if said and not different:
        yield Mark("attachment", "body", said[0][0], *said[0].span(), "found", "", _cited(attached))


def _differs(body: str, start: int, end: int, expected: str, cited: tuple[Cited, ...]) -> Mark:
    made = Mark("attachment", "body", body[start:end], start, end, "differs", expected)
    return replace(made, sources=cited)


def _named(match: "regex.Match[str]", attached: Sequence[AttachedFile]) -> Mark:
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
