"""Files that a message says go with it, and those that do; pure."""

from collections.abc import Iterator, Sequence

import regex

from agents.evidence.claims.distance import slips
from agents.evidence.claims.records import AttachedFile, Cited, Mark, ProposedMessage, State
from inbox.languages import any_of, lazy_regex

_ATTACHED = lazy_regex(
    lambda: (
        rf"(?<![\p{{Latin}}\p{{Cyrillic}}]){any_of(lambda it: it.claims.attached)}"
        r"(?![\p{Latin}\p{Cyrillic}])"
    ),
    regex.IGNORECASE,
)
_NOT_ATTACHED = lazy_regex(lambda: any_of(lambda it: it.claims.others_attached), regex.IGNORECASE)
_FILE = lazy_regex(
    r"(?<![\w/.@-])[\p{L}\d][\p{L}\d_.-]{0,80}\.(?:pdf|docx?|xlsx?|pptx?|odt|ods|odp|csv|txt|rtf|zip"
    r"|png|jpe?g|gif|svg|ics|vcf|md|html?|xml|json|eml|tgz)(?![\w-])",
    regex.IGNORECASE,
)
_SENTENCE_END = lazy_regex(r"(?<=[.!?。！？])\s|\n")


def check_attached(proposed: ProposedMessage) -> Iterator[Mark]:
    """Yield a mark for each file that is named, and one where nothing goes with the message."""
    names = [one.name for one in proposed.attached]
    for match in _FILE.finditer(proposed.body):
        sentence = _sentence(proposed.body, match.start())
        if _says_attached(sentence) or match[0] in names:
            yield _named(match, proposed.attached)
    said = next(
        (it for it in _ATTACHED.finditer(proposed.body) if _is_ours(proposed.body, it)), None
    )
    if said is None:
        return
    if proposed.attached:
        cited = _cited(proposed.attached)
        yield Mark("attachment", "body", said[0], *said.span(), "found", sources=cited)
    else:
        yield Mark("attachment", "body", said[0], *said.span(), "nowhere")


def _says_attached(sentence: str) -> bool:
    return _ATTACHED.search(sentence) is not None and _NOT_ATTACHED.search(sentence) is None


def _is_ours(body: str, match: regex.Match[str]) -> bool:
    return _NOT_ATTACHED.search(_sentence(body, match.start())) is None


def _sentence(body: str, place: int) -> str:
    """Return the sentence that a place of a text is in."""
    start = max((it.end() for it in _SENTENCE_END.finditer(body, 0, place)), default=0)
    end = _SENTENCE_END.search(body, place)
    return body[start : end.start() if end else len(body)]


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
