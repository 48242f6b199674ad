"""Training: a new version from what people decided, watched until a person turns it on."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import Count, Max
from django.utils import timezone

from inbox.background.jobs import Payload, enqueue, handler
from inbox.background.periodic import periodic
from inbox.classify.triage import read_taxonomy, triage
from inbox.learning.training import Classifier, Decision, Worth, learn
from inbox.models import ActivityChange, LearnedModel, LearnedState, Message, Taxonomy, Workspace
from inbox.operations.learned.backend import JUDGE, classifier_of, triage_of, words_for
from inbox.operations.learned.decisions import read_decisions, read_filings
from inbox.operations.learned.offers import offer_corrections
from inbox.operations.learned.switching import turn_off_by_itself
from inbox.reasons import say

TRAIN: Final = "learned.train"
LEASE: Final = timedelta(minutes=20)
# Below it a version says more of chance than of people.
LEAST_DECISIONS: Final = 50
# People's changes within a day that make a training worth while.
WORTH_WHILE: Final = 20
# Old versions that are kept, beside those that are asked.
KEPT: Final = 10
# Taxonomies of a workspace that are learned.
MOST_TAXONOMIES: Final = 20
# Filings since it was trained by which the intents of a version are judged.
LEAST_FILED: Final = 20


@handler(TRAIN, lease=LEASE)
def train_workspace(payload: Payload) -> None:
    """Train what a workspace's decisions allow, and offer what people always decide alike."""
    workspace = Workspace.objects.get(pk=payload["workspace_id"])
    decisions = read_decisions(workspace.pk)
    _train(workspace, decisions, about=JUDGE)
    offer_corrections(workspace)
    for taxonomy in Taxonomy.objects.filter(workspace=workspace).order_by("pk")[:MOST_TAXONOMIES]:
        filed = read_filings(taxonomy, intents_of(taxonomy))
        _look_back(taxonomy, filed)
        _train(workspace, [one for _, one in filed], triage_of(taxonomy.pk), taxonomy)


def ask_training(workspace_id: int) -> None:
    """Have a workspace's decisions learned from; once an hour at most."""
    key = f"{TRAIN}:{workspace_id}:{timezone.now():%Y%m%d%H}"
    enqueue(TRAIN, {"workspace_id": workspace_id}, workspace_id=workspace_id, key=key, slow=True)


@periodic(86_400)
def train_where_decided(now: datetime | None = None) -> int:
    """Have trained what workspaces decided since yesterday; return how many do."""
    since = (now or timezone.now()) - timedelta(days=1)
    rows = ActivityChange.objects.filter(at__gte=since, by__startswith="person:")
    counts = rows.values("workspace_id").annotate(times=Count("pk")).filter(times__gte=WORTH_WHILE)
    found = list(counts.values_list("workspace_id", flat=True))
    for workspace_id in found:
        ask_training(workspace_id)
    return len(found)


def intents_of(taxonomy: Taxonomy) -> dict[str, str]:
    """Return a taxonomy's intents by what a mailbox of them may be called, in lower case.

    A route counts where it is that of one intent only.
    """
    fields = read_taxonomy(taxonomy.source).fields
    routes = Counter(intent.route.casefold() for intent in fields.intents)
    named = {
        it.route.casefold(): it.name for it in fields.intents if routes[it.route.casefold()] < 2
    }
    return named | {intent.name.casefold(): intent.name for intent in fields.intents}


def _train(
    workspace: Workspace,
    decisions: Sequence[Decision],
    about: str,
    taxonomy: Taxonomy | None = None,
) -> LearnedModel | None:
    """Keep a new version; None where there is too little to learn from."""
    learned = (
        learn(decisions, weighs=taxonomy is not None) if len(decisions) >= LEAST_DECISIONS else None
    )
    if learned is None:
        return None
    classifier, worth = learned
    with transaction.atomic():
        Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
        rows = LearnedModel.objects.filter(workspace=workspace, about=about)
        version = (rows.aggregate(Max("version"))["version__max"] or 0) + 1
        rows.filter(state=LearnedState.SHADOW).update(
            state=LearnedState.OFF, reason=say("learned_replaced", version=version)
        )
        made = rows.create(
            workspace=workspace, about=about, taxonomy=taxonomy, version=version,
            content=classifier.as_json(), figures=_figures(classifier, worth, decisions),
            trained_at=timezone.now(),
        )  # fmt: skip
        old = rows.filter(state=LearnedState.OFF).order_by("-version").values_list("pk", flat=True)
        LearnedModel.objects.filter(pk__in=list(old[KEPT : KEPT + 100])).delete()
    return made


def _figures(classifier: Classifier, worth: Worth, decisions: Sequence[Decision]) -> dict[str, Any]:
    counts = Counter(one.label for one in decisions)
    return {
        "decisions": {label: counts[label] for label in classifier.labels},
        "measured_on": worth.measured_on,
        "accuracy": round(worth.accuracy, 4),
        "calibration_error": round(worth.calibration_error, 4),
        "bins": [[one.count, round(one.said, 4), round(one.was, 4)] for one in worth.bins],
        "heaviest": {
            label: [[name, round(weight, 2)] for name, weight in top]
            for label, top in classifier.telling().items()
        },
    }


def _look_back(taxonomy: Taxonomy, filed: Sequence[tuple[Message, Decision]]) -> None:
    """Turn a version off that names the intents of what was filed since worse than the rules do."""
    model = LearnedModel.objects.filter(
        workspace_id=taxonomy.workspace_id, about=triage_of(taxonomy.pk), state=LearnedState.ON
    ).first()
    if model is None or model.switched_at is None:
        return
    since = [one for one in filed if one[0].received_at > model.switched_at]
    if len(since) < LEAST_FILED:
        return
    classifier, spec = classifier_of(model), read_taxonomy(taxonomy.source)
    right = sum(
        classifier.best(words_for(classifier, message))[0] == one.label for message, one in since
    )
    by_rules = sum(triage(message, spec).intent == one.label for message, one in since)
    if right < by_rules:
        reason = say("learned_intents_worse", right=right, rules=by_rules, count=len(since))
        turn_off_by_itself(model, reason)
