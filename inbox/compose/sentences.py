"""The sentences of a reply: what is understood of the goal, and what is left out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from inbox.compose.acts import NOTHING, PARTLY, SAID, WISHED, Sentence
from inbox.compose.acts.sentence import FIXED
from inbox.compose.carrying.carried import (
    UNSURE,
    carry,
    goes_behind_dash,
    goes_with,
    polished,
)
from inbox.compose.carrying.carrier import Carrier, carrier_of, is_of_others, may_be_of_others
from inbox.compose.carrying.covering import leaves_out
from inbox.compose.carrying.doubting import may_be_wrong
from inbox.compose.carrying.parting import parts_of
from inbox.compose.goals.instructions import Act
from inbox.compose.goals.reading import Clause
from inbox.compose.phrasing.wording import Wording
from inbox.compose.thread.facts import Saying
from inbox.compose.thread.situation import Situation
from inbox.languages import any_of, lazy_regex

_FLAGS = regex.IGNORECASE
_PROMISE = r"(?<!\p{L})(?:will|shall|promise)(?!\p{L})|['’]ll(?!\p{L})"


@dataclass(frozen=True)
class Said:
    """The sentences in the order in which they are said, and the words that are left out.

    `missed` were not understood, `foreign` cannot be said in the language of the message.
    """

    sentences: tuple[Sentence, ...] = ()
    missed: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()

    @property
    def confidence(self) -> float:
        """How sure it is that the goal is met: as sure as the least sure sentence."""
        meant = [it.sure for it in self.sentences if it.meets_goal]
        if not meant:
            return NOTHING
        return round(min(*meant, PARTLY) if self.missed or self.foreign else min(meant), 2)


def sentences_for(
    goal: str, clauses: Sequence[Clause], situation: Situation, words: Wording, tone: str
) -> Said:
    """Return what the reply to the goal says, and the parts of it that it leaves out."""
    saying = Saying(situation, words)
    carrier = carrier_of(goal, saying)
    meant: list[Sentence] = []
    missed: list[str] = []
    foreign: list[str] = []
    for clause, sentences in _each(clauses, saying, carrier):
        if sentences is None:
            (foreign if _is_foreign(clause, words) else missed).append(clause.text)
            continue
        meant += sentences
        missed += [it.missed for it in sentences if it.missed]
    missed += _not_avoided(clauses, meant)
    questions = _asked_for(clauses, situation)
    missed += _unanswered(clauses, meant)
    # An apology stands best at the beginning.
    meant.sort(
        key=lambda it: 0 if _apologises(it, words) else 1 if it.text == _thanks(words) else 2
    )
    said = (*_told_apart(meant), *_answers(questions, words, tone))
    return Said(said, tuple(dict.fromkeys(missed)), tuple(dict.fromkeys(foreign)))


def _told_apart(meant: Sequence[Sentence]) -> Sequence[Sentence]:
    """Return the sentences, as unsure ones where all of several are mere notes, without a verb."""
    if len(meant) < 2 or any(it.sure > WISHED for it in meant):
        return meant
    return [replace(it, sure=min(it.sure, UNSURE)) for it in meant]


# What is said in the goal's own words alone.
_OWN_WORDS = frozenset(
    {
        "say", "state", "speech", "quote", "ask_to", "ask_whether", "ask_about", "remind",
        "remind_to", "promise_that", "promise_to", "offer_to", "suggest",
    }
)  # fmt: skip


def _is_foreign(clause: Clause, words: Wording) -> bool:
    """Return True if the clause was understood, and its words are in another language."""
    return any(act.kind in _OWN_WORDS for act in clause.readings) and all(
        act.language != words.language for act in clause.readings
    )


def _each(
    clauses: Sequence[Clause], saying: Saying, carrier: Carrier | None
) -> list[tuple[Clause, list[Sentence] | None]]:
    """Return what each clause says, None where it is not understood.

    A clause that only goes on with the one before it is said with that.
    """
    each: list[tuple[Clause, list[Sentence] | None]] = []
    for clause in clauses:
        if {act.kind for act in clause.readings} & {"style", "avoid", "answer"}:
            continue
        before = each[-1][0].text if each else ""
        if carrier and before and goes_with(clause.text, before, carrier):
            whole = Clause(f"{before}, {clause.text}")
            if (joined := carry(whole.text, carrier)) is not None:
                each[-1] = (whole, joined)
                continue
        if carrier and each and each[-1][1] and goes_behind_dash(clause.text, before, carrier):
            each[-1] = (each[-1][0], _with_aside(each[-1][1], clause.text))
            continue
        each.append((clause, _one(clause, saying, carrier)))
    return each


def _with_aside(said: Sequence[Sentence], aside: str) -> list[Sentence]:
    """Return the sentences, the last with a few words more behind a dash."""
    text = said[-1].text
    return [*said[:-1], replace(said[-1], text=f"{text[:-1]} – {aside}{text[-1]}")]


def _one(clause: Clause, saying: Saying, carrier: Carrier | None) -> list[Sentence] | None:
    """Return what a clause says by the act that it tells, else in its own words."""
    found = _by_act_or_words(clause, saying, carrier)
    if found and carrier and _is_doubtful(clause.text, found, carrier):
        return _as_unsure(found)
    return found


def _is_doubtful(clause: str, said: Sequence[Sentence], by: Carrier) -> bool:
    return may_be_of_others(clause, by) or any(may_be_wrong(it.text, by) for it in said)


def _as_unsure(said: Sequence[Sentence]) -> list[Sentence]:
    return [replace(it, sure=min(it.sure, UNSURE)) for it in said]


def _by_act_or_words(
    clause: Clause, saying: Saying, carrier: Carrier | None
) -> list[Sentence] | None:
    of_others = carrier is not None and is_of_others(clause.text, carrier)
    sentence = None if of_others else _said(clause, saying)
    if carrier and (_is_lacking(sentence) or _swallows(clause.text, sentence, carrier)):
        own = carry(clause.text, carrier)
        if own is not None:
            return _as_unsure(own) if leaves_out(clause.text, own, carrier) else own
    if sentence and carrier:
        sentence = replace(sentence, text=polished(sentence.text, carrier))
    return [sentence] if sentence else None


def _swallows(clause: str, sentence: Sentence | None, by: Carrier) -> bool:
    """Return True if a sentence made of the goal's own words may hold two things."""
    own = sentence is not None and sentence.sure < FIXED
    return own and len(parts_of(clause, by.code)) > 1


def _is_lacking(sentence: Sentence | None) -> bool:
    return sentence is None or bool(sentence.missed)


def _said(clause: Clause, saying: Saying) -> Sentence | None:
    """Return the first reading that can be said whole, else the first that can be said in part."""
    partly = None
    for act in clause.readings:
        if act.kind not in SAID or not _speaks_to_reader(act, saying.situation):
            continue
        sentence = SAID[act.kind](act, saying)
        if sentence is not None and sentence.text and not sentence.missed:
            return sentence
        partly = partly or sentence
    return partly


_NO_NAME = lazy_regex(lambda: any_of(lambda it: it.talk.no_names), _FLAGS)
_QUESTIONS = lazy_regex(lambda: any_of(lambda it: it.talk.questions), _FLAGS)
_TITLES = lazy_regex(lambda: rf"\b{any_of(lambda it: it.people.titles)}\b\.?")


def _speaks_to_reader(act: Act, situation: Situation) -> bool:
    """Return True unless the instruction names somebody else than who wrote the mail."""
    names = regex.findall(r"\b\p{Lu}\p{L}+", _TITLES.sub("", act.whom))
    names = [name for name in names if not _NO_NAME.match(name)]
    return situation.answered is None or all(
        any(own == name or (len(name) > 2 and own.startswith(name)) for own in situation.names)
        for name in names
    )


def _apologises(sentence: Sentence, words: Wording) -> bool:
    start = words.say("apology", thing="\0").partition("\0")[0] or "\0"
    return sentence.opens and sentence.text.startswith(start)


def _thanks(words: Wording) -> str:
    return words.say("thanks", thing=words.thing("message"))


def _not_avoided(clauses: Sequence[Clause], meant: Sequence[Sentence]) -> list[str]:
    """Return what was to be avoided and cannot be told from what is said, or stands in it."""
    text = " ".join(it.text for it in meant).casefold()
    found = []
    for clause in clauses:
        avoid = next((act for act in clause.readings if act.kind == "avoid"), None)
        if avoid is None or any(act.kind == "style" for act in clause.readings):
            continue
        if not _is_avoided(avoid.rest, text):
            found.append(clause.text)
    return found


def _is_avoided(what: str, text: str) -> bool:
    """Return True if the text certainly lacks what was to be avoided."""
    if regex.match(r"(?:sound|be)\s(?:too\s|so\s)?\p{L}+$", what, _FLAGS):
        return True
    if verb := _AVOIDED.match(what):
        signs = next(sign for name, sign in _SIGNS.items() if verb[1].lower().startswith(name))
        if regex.search(signs(), text, _FLAGS):
            return False
        what = what[verb.end() :]
    words = regex.findall(r"\p{L}{4,}", what.casefold())
    return bool(verb or words) and not any(word[:5] in text for word in words)


# By what a message promises, apologises, and so on.
_SIGNS: Mapping[str, Callable[[], str]] = {
    "promis": lambda: _PROMISE, "commit": lambda: _PROMISE,
    "offer": lambda: "offer|discount|free",
    "apologi": lambda: any_of(lambda it: it.talk.sorry),
    "admit": lambda: r"mistake|\bfault|our error",
    "accept": lambda: "accept|happy to|confirm", "agree": lambda: "accept|happy to|agree|confirm",
    "confirm": lambda: any_of(lambda it: it.talk.confirms),
}  # fmt: skip
_AVOIDED = lazy_regex(rf"({'|'.join(_SIGNS)})\p{{L}}*", _FLAGS)


def _asked_for(clauses: Sequence[Clause], situation: Situation) -> list[str]:
    """Return the questions of the mail, where the goal wants them answered."""
    wanted = any(_is_to_answer(clause) for clause in clauses)
    return list(situation.questions) if wanted else []


def _is_to_answer(clause: Clause) -> bool:
    return any(act.kind == "answer" for act in clause.readings) and bool(
        _QUESTIONS.search(clause.text)
    )


def _unanswered(clauses: Sequence[Clause], meant: Sequence[Sentence]) -> list[str]:
    """Return what asks for an answer without giving one; beside something to say it is met."""
    return [
        clause.text
        for clause in clauses
        if any(act.kind == "answer" for act in clause.readings)
        and (_is_to_answer(clause) or not meant)
    ]


def _answers(questions: Sequence[str], words: Wording, tone: str) -> list[Sentence]:
    if not questions or tone == "brief" or len(questions) == 1:
        one = questions[:1]
        return [Sentence(words.say("question", question=it), meets_goal=False) for it in one]
    lines = [words.say("questions"), *(f"- {question}" for question in questions)]
    return [Sentence("\n".join(lines), meets_goal=False)]
