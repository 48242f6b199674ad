"""What is recorded beside the rest: corrections, checks, imports, deliveries, and who looks."""

from datetime import timedelta

from django.utils import timezone

from agents.models import (
    Absence,
    DecisionMeasure,
    LoggedEvent,
    LogHead,
    PlantingSetting,
    Presence,
    SampleCheck,
    WebhookDelivery,
)
from agents.operations.webhooks.endpoints import create_webhook
from inbox.models import (
    ActivityChange,
    Correction,
    CorrectionOffer,
    DeliveryReport,
    Import,
    ImportProblem,
    LearnedModel,
    LearnedOpinion,
    Role,
    SyncState,
    store_blob,
)
from tests import factories
from tests.agents.furnishing import World


def furnish(world: World) -> None:
    """Make a row of each of these, by a member of the workspace."""
    word, own = world.word, {"workspace": world.workspace}
    # Who signs in, and does there what people do.
    person = world.rows["owner"] = factories.make_person_user(
        world.workspace, Role.OWNER, name=f"otto-{word}"
    )
    person.email = f"otto@{word}.example"
    person.save()
    world.workspace.name = f"House of the {word}"
    world.workspace.save()
    factories.make_agent(world.workspace, f"Sexton of the {word}", (world.inbox,))
    actor = factories.person_actor(person)
    activity, approval = world.rows["activity"], world.rows["approval"]
    correction = Correction.objects.create(
        **own, scope="sender", value=f"ada@{word}.example", route="note", note=word,
        created_by=person, created_by_name=word,
    )  # fmt: skip
    ActivityChange.objects.create(
        **own, activity=activity, by=actor.key, by_name=word, before={"status": "archived"},
        after={"status": activity.status}, correction=correction,
    )  # fmt: skip
    learned = LearnedModel.objects.create(
        **own, about="judge", version=1, content={"labels": [], "scorers": {}, "curve": [1, 0]},
        figures={}, trained_at=timezone.now(), state="off",
    )  # fmt: skip
    LearnedOpinion.objects.create(
        **own, model=learned, activity=activity, said="aside", confidence=0.9, would="processed",
        by_rules=activity.status, was_followed=False,
    )  # fmt: skip
    CorrectionOffer.objects.create(
        **own, scope="sender", value=f"eve@{word}.example", route="note", count=5,
        activity=activity,
    )  # fmt: skip
    SampleCheck.objects.create(
        **own, activity=activity, verdict="right", autonomy_tier=1, checked_by=person,
        checked_at=timezone.now(),
    )  # fmt: skip
    Absence.objects.create(
        **own, user=person, delegate=person, since=timezone.now(),
        until=timezone.now() + timedelta(days=1),
    )  # fmt: skip
    DecisionMeasure.objects.create(
        **own, approval=approval, agent=approval.agent, user=person, verb="first", way="page",
        decided_at=timezone.now(), milliseconds=9_000, words=12, flags=f"flag_{word}",
    )  # fmt: skip
    PlantingSetting.objects.create(**own, is_on=True, changed_by=person)
    run = Import.objects.create(**own, inbox=world.inbox, source=f"/{word}.mbox", total=1)
    ImportProblem.objects.create(
        **own, run=run, blob=store_blob(world.workspace.pk, b"?"), source=word, problem=word
    )
    DeliveryReport.objects.create(
        **own, submission=approval.submission, message=world.rows["message"], kind="failed",
        recipient=f"ada@{word}.example", words=word,
    )  # fmt: skip
    SyncState.objects.create(**own, account=world.account, words=word, reply=word)
    Presence.objects.create(**own, user=person, approval=approval, seen_at=timezone.now())
    endpoint, _ = create_webhook(
        workspace=world.workspace,
        by=actor,
        url=f"https://{word}.example/hook",
        facts=(),
        description=word,
    )
    WebhookDelivery.objects.create(
        **own, endpoint=endpoint, fact="approval.created", payload={"data": word}
    )
    head, _ = LogHead.objects.get_or_create(pk=1)
    head.newest += 1
    head.save()
    LoggedEvent.objects.create(
        **own, id=head.newest, fact="approval.created", data={"about": word},
        at=timezone.now() - timedelta(minutes=1),
    )  # fmt: skip
