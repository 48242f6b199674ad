"""What agents keep in mind, and what they want to happen at a time."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from agents.admin.evidence.words import tool_in_words
from agents.admin.origins.lists import OriginColumn
from agents.admin.records import as_json
from agents.models import Memory, Schedule, ScheduleState, ScheduleType
from agents.operations.firing import lateness
from agents.operations.sharing.memories import delete_memories, restore_memories
from agents.recall.questions import keep_memories
from inbox.admin.deeds import Deed, DeedsAdmin
from inbox.admin.refusals import words_of
from inbox.admin.restoring import DeletedFilter, RestoringAdmin
from inbox.errors import DomainError
from inbox.reasons.words import worded
from inbox.templatetags.chancery import age, mail
from inbox.viewer import viewer_of


@admin.register(Memory)
class MemoryRows(OriginColumn, RestoringAdmin, DeedsAdmin):
    """Memories of agents; reviewers and owners delete them here, and bring them back."""

    kind = Memory.ID_PREFIX
    deeds = (
        Deed("noted", _("Review"), "v", lambda row: row.waits and not row.deleted_at),
        Deed("memory-edit", _("Edit"), "e", lambda row: not row.waits and not row.deleted_at),
        Deed("memory-forget", _("Forget"), "#", lambda row: not row.deleted_at),
    )
    actions: Any = ("delete_chosen", "restore_chosen")
    list_display = ("content_line", "agent", "origin_line", "made")
    list_select_related = ("agent",)
    list_filter = (DeletedFilter,)
    search_fields = ("content", "agent__name")
    searched_as = "memories"
    ordering = ("-id",)
    fields = ("whole_content", "agent", "origin_line", "created_at", "deleted_at")
    readonly_fields = ("whole_content", "origin_line")

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Keep what has every word; what was deleted is looked for in the columns."""
        if not search_term.strip() or request.GET.get(DeletedFilter.parameter_name) == "yes":
            return super().get_search_results(request, queryset, search_term)
        try:
            return keep_memories(viewer_of(request).actor, queryset, search_term), False
        except DomainError as error:
            messages.error(request, words_of(error))
            return queryset.none(), False

    @admin.action(description=_("Delete"), permissions=["restore"])
    def delete_chosen(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Delete the chosen ones, as far as the person decides in their workspaces."""
        viewer = viewer_of(request)
        chosen = [row for row in rows if viewer.may_decide(row.workspace_id)]
        deleted = delete_memories(actor=viewer.actor, memories=chosen)
        self.message_user(
            request, gettext("Deleted: %(number)s.") % {"number": deleted}, messages.SUCCESS
        )

    @admin.action(description=_("Restore"), permissions=["restore"])
    def restore_chosen(self, request: HttpRequest, rows: QuerySet[Any]) -> None:
        """Bring the chosen ones back, as far as the person decides in their workspaces."""
        viewer = viewer_of(request)
        chosen = [row for row in rows if viewer.may_decide(row.workspace_id)]
        restored = restore_memories(actor=viewer.actor, memories=chosen)
        self.message_user(
            request, gettext("Restored: %(number)s.") % {"number": restored}, messages.SUCCESS
        )

    @admin.display(description=_("memory"))
    def content_line(self, memory: Memory) -> SafeString:
        """What it says, cut."""
        return mail(memory.content, 200)

    @admin.display(description=_("memory"))
    def whole_content(self, memory: Memory) -> SafeString:
        """What it says."""
        return mail(memory.content, len(memory.content))

    @admin.display(description=_("saved"), ordering="id")
    def made(self, memory: Memory) -> SafeString:
        """How long ago it was saved."""
        return age(memory.created_at)


@admin.register(Schedule)
class ScheduleRows(OriginColumn, DeedsAdmin):
    """What is to happen, and what has happened, at a time."""

    kind = Schedule.ID_PREFIX
    deeds = (
        Deed(
            "schedule-cancel",
            _("Cancel schedule"),
            "#",
            lambda row: row.state == ScheduleState.PENDING,
        ),
    )
    list_display = (
        "command_line",
        "type",
        "agent",
        "origin_line",
        "trigger_at",
        "state",
        "outcome_line",
    )
    list_select_related = ("agent",)
    list_filter = ("state", "type")
    search_fields = ("command", "agent__name", "approval")
    ordering = ("-trigger_at", "-id")
    fields = (
        "whole_command", "type", "payload_text", "agent", "origin_line", "trigger_at", "state",
        "finished_at", "outcome_line", "attempts", "receipt", "approval", "created_at",
    )  # fmt: skip
    readonly_fields = ("whole_command", "payload_text", "origin_line", "outcome_line")

    @admin.display(description=_("what"))
    def command_line(self, schedule: Schedule) -> SafeString:
        """The note's words or the tool's name, cut."""
        return mail(_called(schedule), 160)

    @admin.display(description=_("what"))
    def whole_command(self, schedule: Schedule) -> SafeString:
        """The note's words or the tool's name."""
        return mail(_called(schedule), len(schedule.command) + 100)

    @admin.display(description=_("payload"))
    def payload_text(self, schedule: Schedule) -> SafeString:
        """The tool's arguments, for people."""
        return as_json(schedule.payload)

    @admin.display(description=_("outcome"))
    def outcome_line(self, schedule: Schedule) -> SafeString:
        """What went wrong, or by how much it was late."""
        return mail(worded(schedule.error or lateness(schedule)), 200)


def _called(schedule: Schedule) -> str:
    """Return the words of a note, or what the tool is called that is run."""
    is_tool = schedule.type == ScheduleType.COMMAND
    return tool_in_words(schedule.command) if is_tool else schedule.command
