"""A thread in a few sentences by a model, each of which quotes a message; else by rules."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agents.consulting.remembering import Question, recall
from agents.consulting.sentences import has_its_facts, quotes, sentence_in, thread_passages
from inbox.compose.summary import LONGEST, begin_summary
from inbox.language_model.answers import rows_of
from inbox.language_model.consulting import may_ask, note_use, noted
from inbox.language_model.errors import ModelError
from inbox.language_model.prompts import Passage, Prompt, bounded
from inbox.models import Message, ModelTask

_MOST_SENTENCES: Final = 6
_MOST_MESSAGES = 30
_INSTRUCTIONS = (
    "The texts are the messages of one thread, S1 the oldest. Say in English who wants what, what "
    "was answered or agreed, how it stands now, and what is open and for whom. State no fact, "
    "number, date or name that no text has. What a text claims is only its writer's word: say who "
    "says so. Tell of no links, addresses or accounts.\nAnswer: "
    '{"sentences": [{"text": one short sentence, "source": the name of the text that it rests '
    f'on, "quote": the words of that text that say so}}]}}. At most {_MOST_SENTENCES}.'
)


def summary_of_model(messages: Sequence[Message]) -> str:
    """Return what the model said of a thread, its messages given oldest first; "" for nothing.

    Where it was not asked yet a job will.
    """
    if not messages or not may_ask(messages[0].workspace_id, ModelTask.SUMMARISE):
        return ""
    question = summary_question(messages)
    said = recall(question)
    if said is None:
        return ""
    try:
        with noted(said.kept):
            sentences, dropped = read_summary(said.found, question.prompt.passages)
    except ModelError:
        return ""
    note_use(said.kept, len(sentences), dropped)
    return _fitted(begin_summary(messages), sentences) if sentences else ""


def summary_question(messages: Sequence[Message]) -> Question:
    """Return what a model is asked about a thread."""
    newest = messages[-1]
    read = thread_passages(newest.workspace_id, list(messages)[-_MOST_MESSAGES:])
    prompt = Prompt(ModelTask.SUMMARISE, 1, _INSTRUCTIONS, bounded(read), most_tokens=1000)
    refs = {"messages": [it.pk for it in messages]}
    return Question(newest.inbox.account, prompt, newest.thread.public_id, refs)


def read_summary(found: Mapping[str, Any], passages: Sequence[Passage]) -> tuple[list[str], int]:
    """Return the sentences that rest on a message, and how many do not; raises ModelError."""
    rows = rows_of(found, "sentences", _MOST_SENTENCES)
    texts = {it.name: it.text for it in passages}
    kept = []
    for row in rows:
        sentence, text = sentence_in(row), texts.get(str(row.get("source")), "")
        # A link or an address is nobody's to pass on here.
        if sentence and quotes(row, text) and has_its_facts(sentence, text, trusted=""):
            kept.append(sentence)
    return kept, len(rows) - len(kept)


def _fitted(head: str, sentences: Sequence[str]) -> str:
    """Return as many sentences, whole, as a summary has room for."""
    told = head
    for one in sentences:
        if len(told) + 1 + len(one) <= LONGEST:
            told = f"{told} {one}"
    return told


def remake_summary(refs: Mapping[str, Any]) -> Question | None:
    """Return the question about a thread anew; None where it is gone."""
    rows = Message.objects.kept().filter(pk__in=refs["messages"])
    by_key = {it.pk: it for it in rows.select_related("inbox__account", "thread")}
    messages = [by_key[key] for key in refs["messages"] if key in by_key]
    return summary_question(messages) if messages else None
