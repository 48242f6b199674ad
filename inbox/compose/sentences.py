"""The sentences of a reply: the acts of the goal, then the questions that stay open."""

from collections.abc import Sequence

import regex

from inbox.compose.facts import Saying
from inbox.compose.goals import Act
from inbox.compose.sayings import SAYINGS, Sentence, received, unknown
from inbox.compose.situation import Situation
from inbox.compose.wording import Wording


def sentences_for(
    acts: Sequence[Act], situation: Situation, words: Wording, tone: str
) -> list[Sentence]:
    """Return the sentences of the reply, in the order in which they are said."""
    saying = Saying(situation, words)
    meant = [
        SAYINGS.get(act.kind, unknown)(act, saying)
        for act in acts
        if act.kind not in {"style", "answer"}
    ]
    meant = [it for it in meant if it.text]
    # An apology stands best at the beginning.
    meant.sort(key=lambda it: not (it.opens and it.text.startswith(_apology_of(words))))
    open_questions = _open_questions(acts, situation)
    if not meant and not open_questions:
        meant = [received(Act("receive"), saying)]
    return [*meant, *_answers(open_questions, words, tone)]


def _apology_of(words: Wording) -> str:
    return words.say("apology", thing="\0").partition("\0")[0] or "\0"


def _open_questions(acts: Sequence[Act], situation: Situation) -> list[str]:
    """Return the questions that the goal's own words do not speak to."""
    told = " ".join(act.clause for act in acts).casefold()
    decides = any(act.kind.endswith("meeting") or act.kind in _DECIDING for act in acts)
    stems = {word[:5] for word in regex.findall(r"\p{L}{4,}", told)} - _COMMON
    left = [
        question
        for question in situation.questions
        if not stems & {word[:5] for word in regex.findall(r"\p{L}{4,}", question.casefold())}
    ]
    return left if len(situation.questions) > 1 or not decides else []


_DECIDING = frozenset(
    {
        "refund",
        "refund_declined",
        "accept",
        "decline",
        "propose",
        "say",
        "confirm",
        "offer",
        "offer_to",
        "cancel",
        "send",
    }
)


_COMMON = frozenset(
    {
        "have",
        "that",
        "this",
        "with",
        "your",
        "they",
        "them",
        "their",
        "will",
        "would",
        "could",
        "please",
        "pleas",
        "about",
        "when",
        "what",
        "which",
        "there",
        "thank",
    }
)


def _answers(questions: Sequence[str], words: Wording, tone: str) -> list[Sentence]:
    if not questions or tone == "brief":
        return [
            Sentence(words.say("question", question=it), meets_goal=False) for it in questions[:1]
        ]
    if len(questions) == 1:
        return [Sentence(words.say("question", question=questions[0]), meets_goal=False)]
    lines = [words.say("questions"), *(f"- {question}" for question in questions)]
    return [Sentence("\n".join(lines), meets_goal=False)]
