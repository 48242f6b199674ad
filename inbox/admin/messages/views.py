"""Reading: a thread with its messages, and what belongs to one: HTML, source, attachments."""

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_sameorigin
from django.views.decorators.http import require_safe

from inbox.admin.finding import first_or_404
from inbox.admin.messages.downloads import FRAMED, PLAIN_TEXT, as_download, as_picture
from inbox.admin.messages.layout import read_thread
from inbox.admin.messages.thread_page import ThreadPageQuery, lay_out
from inbox.files.images import LARGEST, read_picture
from inbox.html import sanitise
from inbox.html.marks import show_hosts
from inbox.models import Attachment, Message, Thread
from inbox.viewer import viewer_of

NEWEST = 100
# Letters of HTML that a frame shows; the source has the rest.
LONGEST_HTML = 500_000


@require_safe
def thread(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a conversation, oldest first; one that was joined to another leads there.

    A long one comes a page at a time, the newest page first; `?until=` names the last message of
    an older one.
    """
    viewer = viewer_of(request)
    rows = Thread.objects.visible_to(viewer.actor).with_public_id(public_id)
    found = first_or_404(
        rows.select_related("inbox__account", "workspace", "merged_into"), "thread"
    )
    if found.merged_into is not None:
        return HttpResponseRedirect(reverse("thread", args=[found.merged_into.public_id]))
    until = _until(request, found)
    # One more than is shown, to know where an older page ends.
    readings = read_thread(viewer.actor, found, newest=NEWEST + 1, until=until)
    context = {
        **admin.site.each_context(request),
        "title": found.subject or _("(no subject)"),
        "thread": found,
        "readings": readings[-NEWEST:],
        "leaves": lay_out(readings[-NEWEST:], ThreadPageQuery.of_request(request)),
        "older": readings[0].message.public_id if len(readings) > NEWEST else "",
        "until": until.public_id if until is not None else "",
        "activity": next((one.activity for one in reversed(readings) if one.activity), None),
        "may_write": viewer.may_decide(found.workspace_id),
        "workspace_name": found.workspace.name if viewer.has_several else "",
    }
    return TemplateResponse(request, "chancery/reading/thread.html", context)


@require_safe
def message(request: HttpRequest, public_id: str) -> HttpResponse:
    """Lead to a message's place in its thread."""
    found = _message(request, public_id)
    place = reverse("thread", args=[found.thread.public_id])
    page = f"?until={found.public_id}" if found.thread.message_count > NEWEST else ""
    return HttpResponseRedirect(f"{place}{page}#{found.public_id}")


@xframe_options_sameorigin
@require_safe
def message_html(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show a message's HTML, for the sandboxed frame; cleaned anew, in case the rules grew."""
    found = _message(request, public_id)
    if not found.html:
        raise Http404("There is no HTML in it.")
    html = show_hosts(sanitise(found.html[:LONGEST_HTML]).html)
    context = {"html": html, "is_cut": len(found.html) > LONGEST_HTML}
    response = render(request, "chancery/reading/html_document.html", context)
    response["Content-Security-Policy"] = FRAMED
    return response


@require_safe
def message_source(request: HttpRequest, public_id: str) -> HttpResponse:
    """Hand out a message as it was received, as a text to download."""
    found = _message(request, public_id)
    return as_download(_bytes(found), f"{found.public_id}.eml.txt", PLAIN_TEXT)


@require_safe
def attachment(request: HttpRequest, public_id: str) -> HttpResponse:
    """Hand out an attachment, as a download."""
    rows = Attachment.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    found = first_or_404(rows.select_related("blob"), "attachment")
    return as_download(_bytes(found), found.filename)


@require_safe
def attachment_picture(request: HttpRequest, public_id: str) -> HttpResponse:
    """Hand out an attachment as the picture that its bytes are, for the page that shows it."""
    rows = Attachment.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    found = first_or_404(rows.select_related("blob").filter(size__lte=LARGEST), "attachment")
    content = _bytes(found)
    picture = read_picture(content)
    if picture is None:
        raise Http404("It is no picture that is shown.")
    return as_picture(content, picture.content_type)


def _until(request: HttpRequest, thread: Thread) -> Message | None:
    public_id = request.GET.get("until", "")
    if not public_id:
        return None
    rows = Message.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    return first_or_404(rows.filter(thread=thread).only("received_at"), "message")


def _message(request: HttpRequest, public_id: str) -> Message:
    rows = Message.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    return first_or_404(rows.select_related("thread", "blob", "inbox__account"), "message")


def _bytes(row: Message | Attachment) -> bytes:
    try:
        return row.blob.read()
    except (FileNotFoundError, ValueError) as error:
        raise Http404("The storage has lost these bytes.") from error
