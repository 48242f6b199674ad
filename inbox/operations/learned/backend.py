"""The backend `learned`: what a workspace's decisions taught, where a person turned it on."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final

from inbox.classify.facts import Triage
from inbox.classify.triage import read_taxonomy, triage
from inbox.learning.features import counted_words_of, features_of, words_of
from inbox.learning.training import SURE, Classifier
from inbox.models import LearnedModel, LearnedState, Message
from inbox.reasons import say
from inbox.understanding.port import Answer, JudgeQuestion, Span, TriageQuestion, Verdict

LEARNED: Final = "learned"
JUDGE: Final = "judge"
UNWANTED, ASIDE, WANTED = "unwanted", "aside", "wanted"
# So sure the likeliest of many intents is at least; a version of before said less than it knew.
_SURE_OF_INTENT, _SURE_BEFORE = 0.5, 0.35
HEAVIEST: Final = 6
_BECAUSE: Final = {
    UNWANTED: "learned_unwanted", ASIDE: "learned_aside", WANTED: "learned_wanted",
}  # fmt: skip


class LearnedBackend:
    """Classifiers of a workspace: who should see a message, and the intents of taxonomies."""

    name = LEARNED

    def __init__(self, models: list[LearnedModel]) -> None:
        self._models = {model.about: model for model in models}

    def judge(self, question: JudgeQuestion) -> Answer[Verdict] | None:
        """Say who should see a message, where it is sure."""
        model = self._models.get(JUDGE)
        found = judge_by(model, question) if model else None
        return found.answer if found else None

    def triage(self, question: TriageQuestion) -> Answer[Triage] | None:
        """Say which intent people gave messages like it; urgency and sentiment are the rules'."""
        model = self._models.get(triage_of(question.taxonomy.pk))
        if model is None:
            return None
        message, taxonomy = question.message, read_taxonomy(question.taxonomy.source)
        classifier = classifier_of(model)
        names = words_for(classifier, message)
        label, likely = classifier.best(names)
        intent = next((one for one in taxonomy.fields.intents if one.name == label), None)
        if intent is None or likely < sure_of_intent(classifier):
            return None
        by_rules = triage(message, taxonomy)
        found = Triage(intent.name, by_rules.urgency, by_rules.sentiment, likely, intent.route)
        evidence = _spans(classifier.heaviest(names, label), message.subject, message.new_text)
        return Answer(found, round(likely, 3), f"{LEARNED}:{model.version}", evidence)

    def extract(self, *_: Any) -> None:
        """Decline: decisions say nothing of values."""

    def draft(self, *_: Any) -> None:
        """Decline: decisions say nothing of words."""

    def embed(self, *_: Any) -> None:
        """Decline: weights are no meaning."""


def learned_backends(workspace_ids: Collection[int]) -> dict[int, LearnedBackend]:
    """Return the backends of workspaces, read with one query: none where nobody turned it on."""
    rows = LearnedModel.objects.filter(workspace_id__in=workspace_ids, state=LearnedState.ON)
    models: dict[int, list[LearnedModel]] = {}
    for model in rows.defer("content", "figures"):
        models.setdefault(model.workspace_id, []).append(model)
    return {key: LearnedBackend(some) for key, some in models.items()}


def triage_of(taxonomy_id: int) -> str:
    """Return what a model of a taxonomy's intents is about."""
    return f"triage:{taxonomy_id}"


def words_for(classifier: Classifier, message: Message) -> list[str]:
    """Return the words of a message as a version of intents counts them, an old one as it did."""
    words = counted_words_of if classifier.rarity else words_of
    return words(message.subject, message.new_text)


@lru_cache(maxsize=32)
def _classifier(key: int) -> Classifier:
    # A row is never trained again: another training is another row.
    return Classifier.from_json(LearnedModel.objects.values_list("content", flat=True).get(pk=key))


def classifier_of(model: LearnedModel) -> Classifier:
    """Return the classifier of a version; read once a process."""
    return _classifier(model.pk)


@dataclass(frozen=True, slots=True)
class LearnedAnswer:
    """An answer with what it rests on: its label, and the features that said most, by weight."""

    answer: Answer[Verdict]
    label: str
    weights: tuple[tuple[str, float], ...]


def judge_by(model: LearnedModel, question: JudgeQuestion) -> LearnedAnswer | None:
    """Return what a version says of a message, on or not; None where it is not sure.

    The one that is followed is watched as well: of one question each is asked once.
    """
    key = f"{LEARNED}:{model.pk}"
    if key not in question.worked_out:
        question.worked_out[key] = _judge_by(model, question)
    said: LearnedAnswer | None = question.worked_out[key]
    return said


def _judge_by(model: LearnedModel, question: JudgeQuestion) -> LearnedAnswer | None:
    names = features_of(question.facts, question.by_rules)
    classifier = classifier_of(model)
    label, likely = classifier.best(names)
    verdict = _verdict(label, question) if likely >= sure_from(classifier, label) else None
    if verdict is None:
        return None
    weights = tuple(classifier.heaviest(names, label)[:HEAVIEST])
    because = say(_BECAUSE[label], version=model.version, words=_told(weights))
    verdict = replace(verdict, unwanted="spam" if label == UNWANTED else "", because=because)
    spans = _spans(weights, question.facts.title, question.facts.content)
    answer = Answer(verdict, round(likely, 3), f"{LEARNED}:{model.version}", spans)
    return LearnedAnswer(answer, label, weights)


def sure_from(classifier: Classifier, label: str) -> float:
    """Return from which probability on an answer is given, and below which it is declined."""
    sure = classifier.sure.get(label, SURE)
    # Quarantine can be looked through; what is noted or surfaced wrongly is not.
    return sure if label == UNWANTED else max(sure, SURE)


def sure_of_intent(classifier: Classifier) -> float:
    """Return from which probability on a taxonomy's intent is given, and below which declined."""
    return _SURE_OF_INTENT if classifier.has_shares else _SURE_BEFORE


def _verdict(label: str, question: JudgeQuestion) -> Verdict | None:
    """Return what an answer asks for; None where it adds nothing to the rules' own."""
    said, message = question.by_rules.classification, question.facts.message
    if label == UNWANTED:
        # Whoever we wrote to is not put away by what others' mail looks like, nor is what the rules
        # put before people because it may deceive them.
        known = message is not None and (message.sent or message.answers_us)
        same = Verdict(said.autonomy_tier, said.urgency, said.activity_type)
        return None if known or question.by_rules.is_guarded else same
    if label == ASIDE:
        less = Verdict(2, "low", said.activity_type)
        return less if said.autonomy_tier > 2 else None
    more = Verdict(3, "normal", said.activity_type)
    return more if said.autonomy_tier < 3 else None


def _told(weights: Sequence[tuple[str, float]]) -> str:
    """Return the features that spoke for it, as people read them."""
    return ", ".join(f"“{readable(name)}”" for name, weight in weights if weight > 0)


def readable(feature: str) -> str:
    """Return a feature without the letter that says what it is, unless it is no word."""
    kind, _, name = feature.partition("/")
    return name if kind in "swb" else feature


def _spans(weights: Sequence[tuple[str, float]], subject: str, text: str) -> tuple[Span, ...]:
    """Return where the words stand that spoke for an answer."""
    spans = []
    for name, weight in weights:
        kind, _, word = name.partition("/")
        part, whole = ("subject", subject) if kind == "s" else ("text", text)
        at = whole.lower().find(word) if kind in "swb" and weight > 0 else -1
        if at >= 0:
            spans.append(Span(part, at, at + len(word), whole[at : at + len(word)]))
    return tuple(spans)
