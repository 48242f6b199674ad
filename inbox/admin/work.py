"""Work in the background, imports with their problems, and what left: read only."""

import json
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from inbox.admin.base import KeptInline, WorkspaceAdmin
from inbox.admin.deeds import Deed, DeedsAdmin
from inbox.admin.job_titles import JOBS
from inbox.models import DeliveryReport, Import, ImportProblem, Job, Submission
from inbox.operations.retrying import may_retry
from inbox.reasons.words import worded
from inbox.templatetags.chancery import address, age, mail
from inbox.viewer import Viewer

LONGEST_PROBLEM = 2000


@admin.register(Job)
class JobRows(DeedsAdmin):
    """What is being done, was done, and could not be done."""

    deeds = (Deed("job-retry", _("Retry"), "r", may_retry, "pk", wants_owner=True),)
    list_display = ("kind_line", "state", "attempts", "run_at", "finished_at", "error_line")
    list_filter = ("state",)
    search_fields = ("kind",)
    ordering = ("-id",)
    fields = (
        "kind_line", "state", "payload_text", "priority", "run_at", "attempts", "max_attempts",
        "error", "created_at", "finished_at",
    )  # fmt: skip
    readonly_fields = ("kind_line", "payload_text")

    @admin.display(description=_("what"), ordering="kind")
    def kind_line(self, job: Job) -> str:
        """What it does; the code of its kind where no words are known."""
        return str(JOBS.get(job.kind, job.kind))

    @admin.display(description=_("what went wrong"))
    def error_line(self, job: Job) -> SafeString:
        """The last line of the error."""
        return mail(job.error.strip().rpartition("\n")[2], 160)

    @admin.display(description=_("payload"))
    def payload_text(self, job: Job) -> SafeString:
        """The payload, for people."""
        text = json.dumps(job.payload, indent=2)
        return format_html('<pre class="kept" tabindex="0">{}</pre>', text)


class ProblemsInline(KeptInline):
    """The messages of an import that could not be read whole."""

    model = ImportProblem
    fields = ("source", "problem_line", "created_at")
    readonly_fields = fields
    verbose_name_plural = _("problems")

    @admin.display(description=_("problem"))
    def problem_line(self, problem: ImportProblem) -> SafeString:
        """What was wrong, in the reader's language."""
        return mail(worded(problem.problem), LONGEST_PROBLEM)


@admin.register(Import)
class ImportRows(WorkspaceAdmin):
    """Mail that was brought in by bulk."""

    list_display = ("source", "inbox", "stored", "known", "total", "started", "finished_at")
    list_select_related = ("inbox",)
    ordering = ("-id",)
    fields = ("source", "inbox", "total", "stored", "known", "started_at", "finished_at")
    inlines = (ProblemsInline,)

    @admin.display(description=_("started"), ordering="started_at")
    def started(self, run: Import) -> SafeString:
        """How long ago it began."""
        return age(run.started_at)


@admin.register(ImportProblem)
class ImportProblemRows(WorkspaceAdmin):
    """Messages that could not be read whole; their bytes are kept."""

    list_display = ("source", "problem_line", "run", "created_at")
    list_select_related = ("run",)
    search_fields = ("source", "problem")
    ordering = ("-id",)
    fields = ("source", "whole_problem", "run", "created_at")
    readonly_fields = ("whole_problem",)

    @admin.display(description=_("problem"))
    def problem_line(self, problem: ImportProblem) -> SafeString:
        """What was wrong, cut, in the reader's language."""
        return mail(worded(problem.problem), 200)

    @admin.display(description=_("problem"))
    def whole_problem(self, problem: ImportProblem) -> SafeString:
        """What was wrong, in the reader's language."""
        return mail(worded(problem.problem), LONGEST_PROBLEM)


class ReportsInline(KeptInline):
    """What came back, by messages that anyone who was sent the mail could have written."""

    model = DeliveryReport
    fields = ("kind", "recipient", "status", "words", "created_at")
    readonly_fields = fields
    verbose_name_plural = _("returned")


@admin.register(Submission)
class SubmissionRows(WorkspaceAdmin):
    """What was sealed, and what became of it."""

    list_display = ("recipients", "state", "proposed_by_name", "outcome_line", "proposed_at")
    list_filter = ("state",)
    ordering = ("-id",)
    fields = (
        "state", "envelope_from", "recipients", "sha256", "size", "message_id_header",
        "proposed_by_name", "proposed_at", "expires_at", "approver", "approved_at",
        "approved_sha256", "held_again_at", "send_at", "attempts", "outcome", "finished_at",
        "filed_at", "filing_problem", "copy_sha256", "copy_differences",
    )  # fmt: skip
    readonly_fields = ("recipients", "approver")
    inlines = (ReportsInline,)

    def visible(self, rows: QuerySet[Any], viewer: Viewer) -> QuerySet[Any]:
        """Leave out the sealed bytes, which the review page reads."""
        return super().visible(rows, viewer).defer("mime")

    @admin.display(description=_("to"))
    def recipients(self, submission: Submission) -> SafeString:
        """The first of the envelope, and how many more."""
        first, *rest = submission.envelope_to or [""]
        more = gettext(" and %(rest)s more") % {"rest": len(rest)} if rest else ""
        return format_html("{}{}", address(first), more)

    @admin.display(description=_("approved by"))
    def approver(self, submission: Submission) -> SafeString | str:
        """Who approved it, without a way to a page of theirs: there is none for colleagues."""
        return mail(submission.approved_by, 150) if submission.approved_by else "-"

    @admin.display(description=_("outcome"))
    def outcome_line(self, submission: Submission) -> SafeString:
        """What the server said."""
        return mail(submission.outcome, 160)
