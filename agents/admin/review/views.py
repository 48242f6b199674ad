"""The page on which a person decides, and what it hands out. Nothing is done by GET."""

from typing import Any

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from agents.admin.queue.snooze import offered_snoozes
from agents.admin.review import presets
from agents.admin.review.comparing import Difference, compare, read_fields, read_sealed
from agents.admin.review.enclosures import enclosure_bytes
from agents.admin.review.forms import MessageForm, WordsForm, write_addresses
from agents.admin.review.queries import Review, read_review
from agents.admin.review.queue_path import QueuePath, read_queue_path
from agents.admin.review.sealed_message import SealedMessage
from agents.admin.review.sighting import read_sighting, stamp_page
from agents.admin.review.stale import read_changes_asked_for, read_changes_since
from agents.approval.due import check_due
from agents.models import Approval
from agents.oversight.exporting import export_decision
from inbox import ids
from inbox.actor import Actor
from inbox.admin.messages.downloads import PLAIN_TEXT, as_download, as_picture
from inbox.files.images import read_picture
from inbox.prepared import Prepared
from inbox.viewer import viewer_of, zone_of

_READ_WITH = (
    "agent__person", "workspace", "decided_by", "first_approver", "replaced_by", "planted",
    "submission__draft__identity", "submission__thread__merged_into__inbox",
    "submission__thread__inbox", "submission__policy", "submission__account",
    "submission__approved_by",
)  # fmt: skip


def find_approval(
    request: HttpRequest, public_id: str, *, without: tuple[str, ...] = ()
) -> Approval:
    """Return the approval, or raise Http404 alike for what is not there and what is foreign.

    The fields `without` which it is read are read once they are asked for.
    """
    numbers = ids.decode(Approval.ID_PREFIX, public_id) or ()
    found = _APPROVAL.rows(*without, actor=viewer_of(request).actor, keys=tuple(numbers))
    approval: Approval | None = next(found, None) if len(numbers) == 1 else None
    if approval is None:
        raise Http404("There is no such approval.")
    if request.method == "POST":
        approval.sighting = read_sighting(request, public_id)
    return approval


def _approval(*without: str, actor: Actor, keys: tuple[int, ...]) -> list[Any]:
    rows = Approval.objects.visible_to(actor).filter(pk__in=keys)
    return [rows.select_related(*_READ_WITH).defer(*without)]


_APPROVAL = Prepared(_approval)


@require_safe
def review(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show what waits, or what became of it."""
    return show_review(request, find_approval(request, public_id))


@require_safe
def enclosure(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Hand out a file of the sealed message, as a download."""
    found = enclosure_bytes(find_approval(request, public_id), position)
    if found is None:
        raise Http404("There is no such file.")
    return as_download(found[1], found[0])


@require_safe
def enclosed_picture(request: HttpRequest, public_id: str, position: int) -> HttpResponse:
    """Hand out a picture that goes with the sealed message, to be looked at on its page."""
    found = enclosure_bytes(find_approval(request, public_id), position)
    picture = read_picture(found[1]) if found else None
    if found is None or picture is None:
        raise Http404("There is no such picture.")
    return as_picture(found[1], picture.content_type)


@require_safe
def sealed_source(request: HttpRequest, public_id: str) -> HttpResponse:
    """Hand out the sealed bytes themselves, as a text to download."""
    approval = find_approval(request, public_id)
    if approval.submission is None:
        raise Http404("Nothing would leave.")
    return as_download(approval.submission.mime_bytes, f"{approval.public_id}.eml.txt", PLAIN_TEXT)


@require_safe
def record(request: HttpRequest, public_id: str) -> HttpResponse:
    """Hand out the record of a decision, as JSON to keep."""
    found = export_decision(viewer_of(request).actor, find_approval(request, public_id))
    content = found.model_dump_json(indent=2).encode()
    return as_download(content, f"{public_id}.json", "application/json")


@require_POST
def preview(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show how a message as it is edited differs from the sealed one; nothing is kept.

    With `part=1` the answer is the difference alone, for a page that shows it while one writes.
    """
    approval = find_approval(request, public_id)
    form = MessageForm(request.POST)
    found = _edited(approval, form)
    if request.POST.get("part") == "1":
        context = {"preview": found, "message_form": form}
        return TemplateResponse(request, "chancery/review/edit_preview.html", context)
    return show_review(request, approval, message_form=form, preview=found)


def show_review(
    request: HttpRequest, approval: Approval, *, status: int = 200, **extra: Any
) -> HttpResponse:
    """Show an approval; `extra` are a refusal, and forms as they were filled in."""
    viewer = viewer_of(request)
    check_due([approval])
    seen = read_review(viewer, approval, zone=zone_of(request), picked=request.GET)
    given = {name: value for name, value in extra.items() if value is not None}
    queue_path = read_queue_path(request, approval)
    context = {
        **admin.site.each_context(request),
        "title": seen.title,
        "review": seen,
        "queue_path": queue_path,
        "decision_fields": _decision_fields(request, seen, queue_path),
        "asked": read_changes_asked_for(viewer, approval),
        "changes_since": read_changes_since(viewer, approval)
        if seen.drift or extra.get("refusal")
        else None,
        "workspace_name": approval.workspace.name if viewer.has_several else "",
        "message_form": MessageForm(initial=_as_sealed(seen.message)) if seen.message else None,
        "reject_form": WordsForm(auto_id="reject_%s"),
        "return_form": WordsForm(auto_id="return_%s"),
        "reasons": presets.REASONS if seen.message else presets.CALL_REASONS,
        "wishes": presets.WISHES if seen.message else presets.CALL_WISHES,
        "snoozes": _snoozes(request, approval),
        "kept": [] if seen.is_open else _typed(extra),
        **given,
    }
    return TemplateResponse(request, "chancery/review/review.html", context, status=status)


def _decision_fields(request: HttpRequest, seen: Review, queue_path: QueuePath) -> str:
    """Return what each form that decides sends along; written once, for they are several."""
    if not seen.is_open:
        return ""
    opened = stamp_page(request, seen.approval.public_id)
    context = {"review": seen, "queue_path": queue_path, "opened": opened}
    return render_to_string("chancery/review/decision_fields.html", context, request)


def _snoozes(request: HttpRequest, approval: Approval) -> list[tuple[str, Any, Any]]:
    return offered_snoozes(timezone.now(), zone_of(request), approval.expires_at)


def _as_sealed(message: SealedMessage) -> dict[str, str]:
    """Return what the edit form starts from: the sealed message, not the draft."""
    lines = {
        name.lower(): write_addresses(
            [
                {"name": one.name, "email": one.email}
                for one in message.recipients
                if one.field == name
            ]
        )
        for name in ("To", "Cc", "Bcc")
    }
    return {**lines, "subject": message.subject, "body": message.text}


def _edited(approval: Approval, form: MessageForm) -> Difference | None:
    """Return how the typed message differs from the sealed one; None where it cannot be read."""
    if not form.is_valid() or approval.submission is None:
        return None
    sealed = read_sealed(approval.submission)
    return compare(sealed, read_fields(**form.cleaned_data, files=sealed.files))


def _typed(forms: dict[str, Any]) -> list[tuple[Any, str]]:
    """Return what was typed into forms that the page cannot offer any more, so that it is kept."""
    bound = [form for form in forms.values() if isinstance(form, MessageForm | WordsForm)]
    return [
        (field.label, str(field.value() or ""))
        for form in bound
        if form.is_bound
        for field in form
        if field.value()
    ]
