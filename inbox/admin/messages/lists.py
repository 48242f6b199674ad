"""Lists of what came in and what was written: read only, and leading to the reading pages."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.db.models import OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from inbox.actor import Actor, system_actor
from inbox.admin.base import OwnPageAdmin
from inbox.admin.restoring import DeletedFilter, RestoringAdmin
from inbox.admin.searching import Found, SearchedAdmin, find_threads
from inbox.models import Activity, Draft, Message, Thread
from inbox.operations.deletions import restore_draft
from inbox.operations.mail.message_changes import restore_message
from inbox.templatetags.chancery import address, age, mail, when
from inbox.viewer import Viewer, viewer_of


def link(view: str, public_id: str, text: object) -> SafeString:
    """Return a link whose text came with mail."""
    return format_html(
        '<a href="{}">{}</a>', reverse(view, args=[public_id]), mail(text or _("(no subject)"), 160)
    )


class ReadingAdmin(OwnPageAdmin):
    """Rows that are read on a page of their own, to which a link of the list leads."""

    list_display_links = None


@admin.register(Thread)
class ThreadRows(SearchedAdmin, ReadingAdmin):
    """Conversations, newest first."""

    page = "thread"
    list_display = ("subject_line", "who", "message_count", "status", "inbox", "changed")
    list_select_related = ("inbox",)
    list_filter = ("status", ("inbox", admin.RelatedOnlyFieldListFilter))
    search_fields = ("subject",)
    ordering = ("-updated_at", "-id")

    def found(self, actor: Actor, query: str) -> Found:
        """Return the threads of what is found, that of the best hit first."""
        return find_threads(actor, query)

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Leave out the threads that were joined to another."""
        return super().visible(rows, viewer).filter(merged_into=None)

    def get_changelist_instance(self, request: HttpRequest) -> ChangeList:
        """Give each thread of the page the beginning of its newest message, in one query."""
        page = super().get_changelist_instance(request)
        rows: list[Any] = list(page.result_list)
        messages = Message.objects.visible_to(viewer_of(request).actor).kept()
        newest = messages.filter(thread=OuterRef("pk")).order_by("-received_at", "-id")
        glimpses = dict(
            Thread.objects.filter(pk__in=[row.pk for row in rows])
            .annotate(glimpse=Subquery(newest.values("snippet")[:1]))
            .values_list("pk", "glimpse")
        )
        for row in rows:
            row.glimpse = glimpses.get(row.pk) or ""
        page.result_list = rows
        return page

    @admin.display(description=_("subject"))
    def subject_line(self, thread: Thread) -> SafeString:
        """The subject, leading to the thread."""
        return link("thread", thread.public_id, thread.subject)

    @admin.display(description=_("who"))
    def who(self, thread: Thread) -> SafeString:
        """The first to have written in it."""
        names = [str(one.get("name") or one.get("email")) for one in thread.participants[:3]]
        return mail(", ".join(names))

    @admin.display(description=_("changed"), ordering="updated_at")
    def changed(self, thread: Thread) -> SafeString:
        """How long ago something last happened in it."""
        return age(thread.updated_at)


@admin.register(Message)
class MessageRows(SearchedAdmin, RestoringAdmin, ReadingAdmin):
    """Messages, newest first; deleted ones stand in a list of their own, and are restored there."""

    page = "message"
    list_display = ("subject_line", "sender_line", "direction", "authentication", "received")
    list_filter = (
        DeletedFilter, "direction", "authentication",
        ("inbox", admin.RelatedOnlyFieldListFilter),
    )  # fmt: skip
    search_fields = ("subject", "from_email", "from_name")
    ordering = ("-received_at", "-id")

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Leave out the long columns."""
        return super().visible(rows, viewer).defer(*Message.LIST_DEFERRED)

    def restore(self, row: Any) -> None:
        """Bring a message back to where it was."""
        restore_message(actor=system_actor(row.workspace_id, "Restoring"), message=row)

    @admin.display(description=_("subject"))
    def subject_line(self, message: Message) -> SafeString:
        """The subject, leading to the message in its thread while it is there."""
        if message.deleted_at is not None:
            return mail(message.subject or _("(no subject)"), 160)
        return link("message", message.public_id, message.subject)

    @admin.display(description=_("from"), ordering="from_email")
    def sender_line(self, message: Message) -> SafeString:
        """The sender, with the address beside the name."""
        return format_html("{} {}", mail(message.from_name, 80), address(message.from_email))

    @admin.display(description=_("received"), ordering="received_at")
    def received(self, message: Message) -> SafeString:
        """When it came."""
        return when(message.received_at)


@admin.register(Draft)
class DraftRows(RestoringAdmin):
    """What agents wrote, and where it stands; deleted drafts are in a list of their own."""

    list_display = ("subject_line", "author_name", "status", "version", "changed")
    list_filter = (DeletedFilter, "status")
    search_fields = ("subject", "author_name")
    ordering = ("-id",)
    list_display_links = None
    fields = (
        "subject", "to", "cc", "bcc", "body", "goal", "author_name", "status", "version",
        "policy", "policy_version", "feedback", "created_at", "updated_at",
    )  # fmt: skip

    def restore(self, row: Any) -> None:
        """Bring a draft back, open."""
        restore_draft(actor=system_actor(row.workspace_id, "Restoring"), draft=row)

    @admin.display(description=_("subject"))
    def subject_line(self, draft: Draft) -> SafeString:
        """The subject, leading to the draft."""
        place = reverse("admin:inbox_draft_change", args=[draft.pk])
        return format_html(
            '<a href="{}">{}</a>', place, mail(draft.subject or _("(no subject)"), 160)
        )

    @admin.display(description=_("changed"), ordering="updated_at")
    def changed(self, draft: Draft) -> SafeString:
        """How long ago it was changed."""
        return age(draft.updated_at)


@admin.register(Activity)
class ActivityRows(ReadingAdmin):
    """What came in, classified."""

    page = "activity"
    list_display = (
        "title_line", "sender_line", "status", "activity_type", "urgency", "autonomy_tier", "came",
    )  # fmt: skip
    list_filter = ("status", "urgency", "autonomy_tier", "activity_type")
    search_fields = ("title", "sender")
    ordering = ("-created_at", "-id")

    @admin.display(description=_("title"))
    def title_line(self, activity: Activity) -> SafeString:
        """The title, leading to the activity."""
        return link("activity", activity.public_id, activity.title)

    @admin.display(description=_("sender"), ordering="sender")
    def sender_line(self, activity: Activity) -> SafeString:
        """Whose it is."""
        return address(activity.sender)

    @admin.display(description=_("received"), ordering="created_at")
    def came(self, activity: Activity) -> SafeString:
        """How long ago it came."""
        return age(activity.created_at)
