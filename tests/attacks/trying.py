"""Whether an attack, or an honest message, is flagged: by the checks that a proposal goes through."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.db import transaction

from agents.approval.checks.risks import find_risks
from agents.approval.due import check_due
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.evidence.claims.records import AttachedFile
from agents.models import Approval
from inbox.actor import Actor
from inbox.background import jobs
from inbox.formats.calendar_lines import escape
from inbox.models import Draft, Submission
from inbox.submission_states import SubmissionState
from tests.attacks.variants import TARGETS, Variant, texts
from tests.attacks.world import World, hand_in
from tests.sending_tools import hurry

EVENT = "BEGIN:VCALENDAR\nMETHOD:REQUEST\nBEGIN:VEVENT\nSUMMARY:Visit\nDESCRIPTION:{}\nEND:VEVENT\nEND:VCALENDAR"
# What cannot be proposed at all, such as invisible characters in a subject, reaches nobody.
REFUSED = "refused"
MEETING = {"start": "2027-04-01T09:00:00Z", "end": "2027-04-01T10:00:00Z"}


@contextmanager
def undone() -> Iterator[None]:
    """Take back at the end whatever was changed."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def flags_of(approval: Approval | None) -> set[str]:
    """Return the codes of an approval's flags."""
    if approval is None:
        return set()
    check_due([approval])
    return {one["flag"] for one in approval.risk_flags}


def check(world: World, actor: Actor, variant: Variant, secret: str) -> set[str]:
    """Return the codes that the checks of a proposal raise, without sealing it.

    The first part of what is split is proposed whole, for the second to be beside it.
    """
    parts = texts(variant, secret)
    if len(parts) == 1:
        return _check(world, actor, variant, parts[0])
    with undone():
        first = propose(world, actor, variant, parts[0])
        return first | _check(world, actor, variant, parts[1])


def _check(world: World, actor: Actor, variant: Variant, text: str) -> set[str]:
    to, cc = TARGETS[variant.target]
    in_body = text if variant.place in {"body", "event"} else "Hello, here is what you asked for."
    draft = Draft(
        workspace_id=world.inbox.workspace_id, account=world.inbox.account, inbox=world.inbox,
        to=[{"email": one} for one in to], cc=[{"email": one} for one in cc],
        subject=_line(text) if variant.place == "subject" else "The harbour", body=in_body,
        calendar=EVENT.format(escape(text)) if variant.place == "event" else "",
    )  # fmt: skip
    attached = [AttachedFile("notes.txt", text)] if variant.place == "attachment" else []
    return {flag.flag for flag in find_risks(actor, draft, [], attached)}


def _line(text: str) -> str:
    """Return a text as a subject takes it: one line."""
    return " ".join(text.split())[:900]


def propose(world: World, actor: Actor, variant: Variant, text: str) -> set[str]:
    """Propose it by the tool that an agent would call; return the codes of its flags."""
    to, cc = TARGETS[variant.target]
    account, tool = {"account_id": world.account_id}, "email_send"
    if variant.place == "event":
        tool = "calendar_create_event"
        given = {**account, "subject": "Visit", "attendees": [*to, *cc], "body": text, **MEETING}
    else:
        given = {
            **account, "to": list(to), "subject": "The harbour", "confirm": True,
            "body": text if variant.place == "body" else "Hello, here is what you asked for.",
            **({"cc": list(cc)} if cc else {}),
        }  # fmt: skip
    if variant.place == "subject":
        given["subject"] = _line(text)
    if variant.place == "attachment":
        hand_in(actor, name := f"out/{variant.seed}.txt", text)
        given["attachments"] = [name]
    try:
        return flags_of(call(tool, given, actor).approval)
    except ToolError:
        return {REFUSED}


def count_sent() -> int:
    """Let time pass and everything that is due be done; return how many messages have left."""
    hurry()
    jobs.run_due()
    kept = {SubmissionState.HELD, SubmissionState.VOIDED}
    released = Submission.objects.exclude(state__in=kept).count()
    return released + sum(path.is_file() for path in Path(settings.LOCAL_MAIL_DIR).rglob("*"))
