"""What agents share with each other, as lists to look things up in."""

from typing import Any

from django.contrib import admin
from django.db.models import Case, QuerySet, Value, When
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agents.admin.origins.lists import OriginColumn
from agents.admin.records import as_json
from agents.models import AgentMessage, ContextEntry, Origin
from inbox.admin.deeds import Deed, DeedsAdmin
from inbox.templatetags.chancery import age, mail, until
from inbox.viewer import Viewer


@admin.register(ContextEntry)
class ContextRows(OriginColumn, DeedsAdmin):
    """Values under keys, as they stand now."""

    kind = ContextEntry.ID_PREFIX
    deeds = (Deed("context-remove", _("Remove"), "#", lambda row: row.pk is not None),)
    list_display = (
        "key_line", "value_line", "author", "origin_line", "readers", "updated", "ends",
    )  # fmt: skip
    list_select_related = ("author",)
    search_fields = ("key", "author__name")
    ordering = ("key", "id")
    fields = (
        "key", "value_text", "author", "origin_line", "readers", "ttl", "expires_at", "created_at",
        "updated_at",
    )  # fmt: skip
    readonly_fields = ("value_text", "origin_line", "readers")

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Keep the rows that this viewer may see, with who may read them."""
        return super().visible(rows, viewer).prefetch_related("subscribers")

    @admin.display(description=_("key"), ordering="key")
    def key_line(self, entry: ContextEntry) -> SafeString:
        """The key, which an agent chose."""
        return mail(entry.key, 120)

    @admin.display(description=_("value"))
    def value_line(self, entry: ContextEntry) -> SafeString:
        """The value, cut."""
        return mail(entry.text, 120)

    @admin.display(description=_("value"))
    def value_text(self, entry: ContextEntry) -> SafeString:
        """The value, for people."""
        return as_json(entry.value)

    @admin.display(description=_("who reads it"))
    def readers(self, entry: ContextEntry) -> SafeString:
        """The agents that may read it besides its author."""
        names = ", ".join(agent.name for agent in entry.subscribers.all())
        return mail(gettext("every agent") if entry.is_open else names, 200)

    @admin.display(description=_("shared"), ordering="updated_at")
    def updated(self, entry: ContextEntry) -> SafeString:
        """How long ago it was pushed."""
        return age(entry.updated_at)

    @admin.display(description=_("time left"), ordering="expires_at")
    def ends(self, entry: ContextEntry) -> SafeString:
        """How long it still lasts."""
        return until(entry.expires_at) if entry.expires_at else SafeString("")


@admin.register(AgentMessage)
class AgentMessageRows(OriginColumn):
    """What agents told each other."""

    kind = AgentMessage.ID_PREFIX
    unnoted = Case(When(sender=None, then=Value(str(Origin.OWNER))), default=OriginColumn.unnoted)
    list_display = (
        "text_line", "from_line", "recipient", "origin_line", "type", "priority", "sent", "read_at",
    )  # fmt: skip
    list_select_related = ("sender", "recipient")
    list_filter = ("type", "priority")
    search_fields = ("text", "sender__name", "person_name", "recipient__name", "thread_id")
    ordering = ("-id",)
    fields = (
        "whole_text", "from_line", "recipient", "origin_line", "type", "priority", "thread_id",
        "broadcast_id", "requires_confirmation", "confirmed_at", "read_at", "created_at",
    )  # fmt: skip
    readonly_fields = ("whole_text", "from_line", "origin_line")

    @admin.display(description=_("sender"), ordering="sender__name")
    def from_line(self, message: AgentMessage) -> SafeString:
        """The agent or the person that sent it."""
        return mail(message.sender_name, 160)

    @admin.display(description=_("message"))
    def text_line(self, message: AgentMessage) -> SafeString:
        """What it says, cut."""
        return mail(message.text, 160)

    @admin.display(description=_("message"))
    def whole_text(self, message: AgentMessage) -> SafeString:
        """What it says."""
        return mail(message.text, len(message.text))

    @admin.display(description=_("sent"), ordering="id")
    def sent(self, message: AgentMessage) -> SafeString:
        """How long ago it was sent."""
        return age(message.created_at)
