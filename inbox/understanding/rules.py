"""The rules behind the port: they answer everything but what takes a model of meaning."""

from typing import Final

from inbox.classify import Facts, Judgement
from inbox.classify.facts import Triage
from inbox.classify.triage import read_taxonomy, triage
from inbox.compose import ComposedReply, compose_reply
from inbox.extract import Extraction, extract
from inbox.models import Message
from inbox.policies import read_policy
from inbox.understanding.places import spans_of
from inbox.understanding.port import (
    RULES,
    Answer,
    JudgeQuestion,
    ReplyQuestion,
    Schema,
    Span,
    TriageQuestion,
    Verdict,
)

_SPAM: Final = frozenset({"scam"})
_PHISHING: Final = frozenset({"phishing", "wants_credentials"})


class RulesBackend:
    """What `inbox.classify`, `inbox.extract` and `inbox.compose` say."""

    name = RULES

    def judge(self, question: JudgeQuestion) -> Answer[Verdict]:
        """Return what the rules made of a message."""
        by_rules = question.by_rules
        said, kind = by_rules.classification, by_rules.kind.name
        verdict = Verdict(
            tier=said.autonomy_tier,
            urgency=said.urgency,
            activity_type=said.activity_type,
            unwanted="spam" if kind in _SPAM else "phishing" if kind in _PHISHING else "",
            guarded=by_rules.is_guarded,
        )
        return Answer(verdict, said.confidence, RULES, _evidence(question.facts, by_rules))

    def triage(self, question: TriageQuestion) -> Answer[Triage]:
        """Return the intent that the taxonomy's own signs speak for."""
        found = triage(question.message, read_taxonomy(question.taxonomy.source))
        return Answer(found, found.confidence, RULES)

    def extract(self, message: Message, schema: Schema) -> Answer[Extraction]:
        """Return what is found by the schema's labels and formats."""
        found = extract(message, schema)
        return Answer(found, found.confidence, RULES, spans_of(message, found))

    def draft(self, question: ReplyQuestion) -> Answer[ComposedReply]:
        """Return a reply put together by phrases."""
        policy = read_policy(question.policy.source)
        composed = compose_reply(
            question.messages, question.goal, policy, question.identity,
            recipients=question.recipients, known_recipients=question.known_recipients,
        )  # fmt: skip
        return Answer(composed, composed.confidence, RULES)

    def embed(self, _: str, /) -> None:
        """Decline: the rules know of words, not of what they mean."""


def _evidence(facts: Facts, by_rules: Judgement) -> tuple[Span, ...]:
    """Return where the words of the signals stand; what is no words of the message is left out."""
    spans = []
    for excerpt in by_rules.found.values():
        for part, text in (("subject", facts.title), ("text", facts.content)):
            at = text.find(excerpt) if excerpt else -1
            if at >= 0:
                spans.append(Span(part, at, at + len(excerpt), excerpt))
                break
    return tuple(spans)
