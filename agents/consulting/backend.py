"""The language model behind the port of `inbox.understanding`: it answers what it was asked before.

Of a new question it has a job ask the model, and declines, so that nobody waits. It says nothing of
who should see a message: that is left to rules, to what was learned, and to people.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from agents.consulting.drafting import read_reply, reply_question
from agents.consulting.extracting import extraction_question, read_extraction, wanted_fields
from agents.consulting.remembering import Question, recall
from agents.consulting.sorting import SURE_BY_RULES, read_sorting, sorting_question
from inbox.classify.facts import Triage
from inbox.classify.triage import read_taxonomy, triage
from inbox.compose import ComposedReply, frame_reply, reply_language
from inbox.extract import Extraction, check_schema, extract_from, read_document
from inbox.flags import found
from inbox.language_model.consulting import Consulted, note_use, noted, tasks_of
from inbox.language_model.errors import ModelError
from inbox.models import Identity, Message, ModelTask, ReplyPolicy, Taxonomy
from inbox.policies import read_policy
from inbox.understanding.places import spans_of
from inbox.understanding.port import (
    Answer,
    JudgeQuestion,
    ReplyQuestion,
    Schema,
    TriageQuestion,
    Verdict,
)

NAME: Final = "model"
# How sure a draft is of which every sentence rests on something, and one that lost some.
_WHOLE, _PARTLY = 0.7, 0.4


class ModelBackend:
    """What the model said, for the tasks that an owner lets it be used for."""

    name = NAME

    def __init__(self, tasks: frozenset[str]) -> None:
        self._tasks = tasks

    def judge(self, _: JudgeQuestion, /) -> Answer[Verdict] | None:
        """Decline: nobody's attention hangs on what a stranger may have talked a model into."""
        return None

    def triage(self, question: TriageQuestion) -> Answer[Triage] | None:
        """Return an intent that the message's words speak for, where the rules are not sure."""
        if ModelTask.TRIAGE not in self._tasks:
            return None
        spec = read_taxonomy(question.taxonomy.source)
        by_rules = triage(question.message, spec)
        if by_rules.confidence >= SURE_BY_RULES:
            return None
        asked = sorting_question(question.message, question.taxonomy, spec)
        said = recall(asked)
        if said is None:
            return None
        found = read_sorting(said.found, by_rules, spec, asked.prompt.passages)
        note_use(said.kept, int(found is not None), int(found is None))
        if found is None:
            return None
        return Answer(found.triage, found.triage.confidence, _by(said), found.evidence)

    def extract(self, message: Message, schema: Schema) -> Answer[Extraction] | None:
        """Return what rules find, with what they do not and the message's words say."""
        if ModelTask.EXTRACT not in self._tasks:
            return None
        check_schema(schema)
        document = read_document(message)
        base = extract_from(document, schema)
        wanted = wanted_fields(schema, base.data)
        if not wanted:
            return None
        asked = extraction_question(message, schema, document, wanted)
        said = recall(asked)
        if said is None:
            return None
        try:
            with noted(said.kept):
                found = read_extraction(said.found, base, schema, wanted, document)
        except ModelError:
            return None
        note_use(said.kept, found.added, found.dropped)
        if not found.added:
            return None
        evidence = spans_of(message, found.extraction)
        return Answer(found.extraction, found.extraction.confidence, _by(said), evidence)

    def draft(self, question: ReplyQuestion) -> Answer[ComposedReply] | None:
        """Return a reply whose sentences rest on the thread, the goal or the policy."""
        if ModelTask.DRAFT not in self._tasks or not question.messages:
            return None
        language = reply_language(question.messages, question.goal)
        if not language:
            return None
        asked = reply_question(question, language)
        said = recall(asked)
        if said is None:
            return None
        try:
            with noted(said.kept):
                written = read_reply(said.found, question, asked.prompt.passages)
        except ModelError:
            return None
        note_use(said.kept, written.used, written.dropped)
        if not written.paragraphs:
            return None
        flags = [
            found("low_confidence", "by_model", model=said.kept.model, answer=said.kept.public_id)
        ]
        if written.dropped:
            flags.append(found("low_confidence", "without_source", count=written.dropped))
        confidence = _PARTLY if written.dropped else _WHOLE
        composed = frame_reply(
            question.messages, written.paragraphs, read_policy(question.policy.source),
            question.identity, language=language, cited=written.cited, confidence=confidence,
            flags=flags, recipients=question.recipients,
            known_recipients=question.known_recipients,
        )  # fmt: skip
        return Answer(composed, confidence, _by(said))

    def embed(self, _: str, /) -> None:
        """Decline: it is asked in words."""


def _by(said: Consulted) -> str:
    return f"{NAME}:{said.kept.model}"


def make_backends(workspace_ids: Collection[int]) -> dict[int, ModelBackend]:
    """Return the backends of workspaces: none where there is no model, or no owner wants it."""
    return {key: ModelBackend(frozenset(tasks)) for key, tasks in tasks_of(workspace_ids).items()}


def remake_reply(refs: Mapping[str, Any]) -> Question | None:
    """Return the question about a reply anew; None where something of it is gone."""
    identity = Identity.objects.filter(pk=refs["identity"]).select_related("account").first()
    policy = ReplyPolicy.objects.filter(pk=refs["policy"]).first()
    rows = {it.pk: it for it in Message.objects.kept().filter(pk__in=refs["messages"])}
    messages = [rows[key] for key in refs["messages"] if key in rows]
    if identity is None or policy is None or not messages:
        return None
    question = ReplyQuestion(messages, refs["goal"], policy, identity, refs["recipients"])
    return reply_question(question, refs["language"])


def remake_extraction(refs: Mapping[str, Any]) -> Question | None:
    """Return the question about what is in a message anew; None where that is gone."""
    message = _message(refs)
    if message is None:
        return None
    document = read_document(message)
    wanted = wanted_fields(refs["schema"], extract_from(document, refs["schema"]).data)
    return extraction_question(message, refs["schema"], document, wanted)


def remake_sorting(refs: Mapping[str, Any]) -> Question | None:
    """Return the question about what a message is about anew; None where something is gone."""
    message, taxonomy = _message(refs), Taxonomy.objects.filter(pk=refs["taxonomy"]).first()
    if message is None or taxonomy is None:
        return None
    return sorting_question(message, taxonomy, read_taxonomy(taxonomy.source))


def _message(refs: Mapping[str, Any]) -> Message | None:
    rows = Message.objects.kept().filter(pk=refs["message"])
    return rows.select_related("inbox__account").first()
