"""The page on which a person writes a mail: kept as a draft, or sealed and shown once more."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST

from agents.admin.refusals import words_of
from agents.admin.review.forms import write_addresses
from agents.admin.review.views import find_approval
from agents.admin.writing.choices import offer, own_drafts, people, senders
from agents.admin.writing.forms import WritingForm
from agents.admin.writing.originals import (
    ANSWER,
    ANSWER_ALL,
    FORWARD,
    Original,
    forwarded,
    quoted,
    read_original,
)
from agents.admin.writing.saving import begin_draft, change_draft
from agents.approval.own import propose_own, withdraw_own
from agents.approval.status import ApprovalError
from agents.errors import ToolError
from agents.models import Approval
from agents.tools.mail.plans import EmailPlan, content_of_draft
from inbox.actor import Actor
from inbox.admin.finding import first_or_404, let_decide, person_of
from inbox.admin.messages.layout import read_message
from inbox.errors import DomainError
from inbox.models import Attachment, Draft, DraftStatus, Message
from inbox.operations.deletions import delete_draft
from inbox.operations.drafts.writing import UNPROPOSED
from inbox.viewer import viewer_of

_TITLES: dict[str, Any] = {
    "": gettext_lazy("Write a message"),
    ANSWER: gettext_lazy("Answer"),
    ANSWER_ALL: gettext_lazy("Reply to all"),
    FORWARD: gettext_lazy("Forward"),
}
_PAGE = require_http_methods(["GET", "HEAD", "POST"])


@_PAGE
def write(request: HttpRequest) -> HttpResponse:
    """Begin a mail: a new one, or one that answers or forwards the message `of`."""
    viewer = viewer_of(request)
    if not viewer.may_decide():
        raise PermissionDenied
    asked = request.POST if request.method == "POST" else request.GET
    try:
        original = read_original(request, asked.get("as", ""), asked.get("of", ""))
    except DomainError as error:
        messages.error(request, words_of(error))
        return HttpResponseRedirect(reverse("write"))
    if original is not None:
        let_decide(request, original.message.workspace_id)
    offered = offer(viewer, original=original)
    if request.method != "POST":
        form = WritingForm(initial=_begun(request, original), offered=offered)
        return _show(request, form, original)
    form = WritingForm(request.POST, request.FILES, offered=offered)
    if not form.is_valid():
        return _show(request, form, original, status=400)
    identity = senders(viewer).get(pk=form.cleaned_data["sender"])
    actor = viewer.actor.within(identity.workspace_id)
    try:
        draft = begin_draft(actor, _filled(request, form, original), identity, original)
    except (DomainError, ToolError) as error:
        return _show(request, _said(form, error), original, status=400)
    return _go_on(request, draft)


@_PAGE
def write_on(request: HttpRequest, public_id: str) -> HttpResponse:
    """Go on with a draft of one's own; one that was sealed is looked at where it waits."""
    draft = _find(request, public_id)
    if draft.status not in UNPROPOSED:
        return _where_it_went(draft)
    offered, answered = offer(viewer_of(request), draft=draft), _answered(draft)
    if request.method != "POST":
        form = WritingForm(initial=_as_kept(draft), offered=offered)
        return _show(request, form, answered, draft)
    form = WritingForm(request.POST, request.FILES, offered=offered)
    if not form.is_valid():
        return _show(request, form, answered, draft, status=400)
    try:
        actor = viewer_of(request).actor.within(draft.workspace_id)
        change_draft(actor, draft, _filled(request, form, answered))
    except DomainError as error:
        return _show(request, _said(form, error), answered, draft, status=400)
    return _go_on(request, draft)


@require_POST
def discard(request: HttpRequest, public_id: str) -> HttpResponse:
    """Throw a draft of one's own away; a person can bring it back for 30 days."""
    draft = _find(request, public_id)
    actor = viewer_of(request).actor.within(draft.workspace_id)
    try:
        delete_draft(actor=actor, draft=draft)
    except DomainError as error:
        messages.error(request, words_of(error))
        return _where_it_went(draft)
    messages.success(request, _("The draft was discarded."))
    thread = draft.thread
    place = reverse("thread", args=[thread.public_id]) if thread else reverse("write")
    return HttpResponseRedirect(place)


@require_POST
def withdraw(request: HttpRequest, public_id: str) -> HttpResponse:
    """Go back from a sealed message of one's own to its draft."""
    found = find_approval(request, public_id)
    let_decide(request, found.workspace_id)
    try:
        withdraw_own(approval=found, by=person_of(request))
    except ApprovalError as error:
        messages.error(request, words_of(error))
        return HttpResponseRedirect(reverse("review", args=[public_id]))
    submission = found.submission
    if submission is None or submission.draft.calendar:
        return HttpResponseRedirect(reverse("calendar"))
    return HttpResponseRedirect(reverse("write-on", args=[submission.draft.public_id]))


def _find(request: HttpRequest, public_id: str) -> Draft:
    """Return a draft of one's own, where one may decide."""
    rows = own_drafts(viewer_of(request).actor).with_public_id(public_id)
    draft = first_or_404(
        rows.select_related(
            "account", "identity", "inbox", "thread", "in_reply_to__inbox__account"
        ),
        "draft",
    )
    let_decide(request, draft.workspace_id)
    return draft


def _where_it_went(draft: Draft) -> HttpResponse:
    """Lead to where a draft that was sealed waits, or to what became of it."""
    rows = Approval.objects.filter(workspace_id=draft.workspace_id, submission__draft=draft)
    newest = rows.order_by("-pk").first()
    here = reverse("review", args=[newest.public_id]) if newest else reverse("write")
    return HttpResponseRedirect(here)


def _go_on(request: HttpRequest, draft: Draft) -> HttpResponse:
    """Keep it, or seal it and show it as it would leave."""
    here = reverse("write-on", args=[draft.public_id])
    if request.POST.get("then") != "seal":
        messages.success(request, _("Saved as a draft."))
        return HttpResponseRedirect(here)
    draft.refresh_from_db()
    try:
        approval = propose_own(
            by=person_of(request), workspace_id=draft.workspace_id, tool="email_send",
            arguments=_call(draft), plan=lambda actor: _plan(actor, draft),
        )  # fmt: skip
    except (ToolError, DomainError, ApprovalError) as error:
        messages.error(request, words_of(error))
        return HttpResponseRedirect(here)
    return HttpResponseRedirect(reverse("review", args=[approval.public_id]))


def _plan(actor: Actor, draft: Draft) -> EmailPlan:
    return EmailPlan(actor, content_of_draft(draft), lambda: draft)


def _call(draft: Draft) -> dict[str, Any]:
    """Return the call as which the mail is approved; what leaves are the sealed bytes alone."""
    to, cc = ([one["email"] for one in each] for each in (draft.to, draft.cc))
    named = to or cc or [one["email"] for one in draft.bcc]
    call = {
        "account_id": draft.account.public_id, "to": named,
        "subject": draft.subject, "body": draft.body, "confirm": True,
    }  # fmt: skip
    return {**call, "cc": cc} if to and cc else call


def _begun(request: HttpRequest, original: Original | None) -> dict[str, Any]:
    """Return what the form of a new mail starts from."""
    if original is None:
        return {name: request.GET.get(name, "")[:2000] for name in ("to", "subject")}
    is_forward = original.kind == FORWARD
    return {
        "sender": str(original.identity.pk), "to": original.to, "cc": original.cc,
        "subject": original.subject,
        "body": forwarded(request, original.message) if is_forward else "",
        "forwarded": [str(one.pk) for one in _files_of(request, original.message)]
        if is_forward else [],
    }  # fmt: skip


def _files_of(request: HttpRequest, message: Message) -> QuerySet[Attachment]:
    return message.attachments.visible_to(viewer_of(request).actor)


def _as_kept(draft: Draft) -> dict[str, Any]:
    return {
        "to": write_addresses(draft.to), "cc": write_addresses(draft.cc),
        "bcc": write_addresses(draft.bcc), "subject": draft.subject, "body": draft.body,
        "kept": [str(one.position) for one in draft.attachments.all()],
    }  # fmt: skip


def _answered(draft: Draft) -> Original | None:
    """Return the message that a draft answers."""
    message = draft.in_reply_to
    return Original("", message) if message is not None else None


def _filled(request: HttpRequest, form: WritingForm, original: Original | None) -> dict[str, Any]:
    """Return what was filled in, with the quoted message below the text where that is wanted."""
    filled = dict(form.cleaned_data)
    if filled["quote"] and original is not None:
        filled["body"] = f"{filled['body'].rstrip()}\n\n{quoted(request, original.message)}\n"
    return filled


def _said(form: WritingForm, error: DomainError | ToolError) -> WritingForm:
    """Say an error of what was filled in at its field, or above them all."""
    field = error.field.partition("/")[0] if isinstance(error, DomainError) else ""
    form.add_error(field if field in form.fields else None, words_of(error))
    return form


def _show(
    request: HttpRequest,
    form: WritingForm,
    original: Original | None,
    draft: Draft | None = None,
    *,
    status: int = 200,
) -> HttpResponse:
    viewer = viewer_of(request)
    message = original.message if original else None
    is_returned = draft is not None and draft.status == DraftStatus.RETURNED
    context = {
        **admin.site.each_context(request),
        "title": (draft.subject if draft else "") or _TITLES[original.kind if original else ""],
        "form": form,
        "draft": draft,
        "feedback": draft.feedback if draft and is_returned else "",
        "original": original,
        "reading": read_message(message, _files_of(request, message)) if message else None,
        "people": people(viewer),
        "drafts": [] if original else own_drafts(viewer.actor).filter(status__in=UNPROPOSED)
        .exclude(pk=draft.pk if draft else 0).order_by("-updated_at", "-pk")[:10],
    }  # fmt: skip
    return TemplateResponse(request, "chancery/writing/write.html", context, status=status)
