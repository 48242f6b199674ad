"""A person shares a file: sealed as a message, shown once more, and sent when they say so."""

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods

from agents.admin.files.views import find_file
from agents.admin.refusals import Refused, words_of
from agents.admin.writing.choices import people
from agents.admin.writing.forms import completed_addresses
from agents.approval.own import do_or_propose
from inbox.admin.finding import let_decide, person_of
from inbox.models import FileNode
from inbox.viewer import viewer_of


class ShareForm(forms.Form):
    """To whom a file goes, and with which words."""

    to = completed_addresses(label=gettext_lazy("To"))
    message = forms.CharField(
        label=gettext_lazy("Message"), max_length=50_000, required=False,
        widget=forms.Textarea(attrs={"rows": 6, "dir": "auto"}),
    )  # fmt: skip

    def clean_to(self) -> list[dict[str, str]]:
        """Return the addresses, at least one."""
        given: list[dict[str, str]] = self.cleaned_data["to"]
        if not given:
            raise forms.ValidationError(_("Give at least one address."))
        return given

    def as_call(self, file: FileNode) -> dict[str, Any]:
        """Return what was filled in, as the tool takes it."""
        return {
            "file_id": file.public_id,
            "account_id": file.account.public_id,
            "to": [one["email"] for one in self.cleaned_data["to"]],
            "message": self.cleaned_data["message"].replace("\r\n", "\n"),
        }


@require_http_methods(["GET", "HEAD", "POST"])
def share(request: HttpRequest, public_id: str) -> HttpResponse:
    """Ask to whom it goes, then lead to the sealed message; a refusal keeps what was typed."""
    found = find_file(viewer_of(request), public_id)
    let_decide(request, found.workspace_id)
    if found.is_folder or found.deleted_at is not None:
        return HttpResponseRedirect(reverse("file", args=[public_id]))
    if request.method != "POST":
        begun = {"message": _("%(name)s is attached.") % {"name": found.name}}
        return _show(request, found, ShareForm(initial=begun))
    form = ShareForm(request.POST)
    if not form.is_valid():
        return _show(request, found, form, status=400)
    try:
        approval = do_or_propose(
            by=person_of(request), workspace_id=found.workspace_id, tool="file_share",
            arguments=form.as_call(found),
        )  # fmt: skip
    except Refused as error:
        form.add_error(None, words_of(error))
        return _show(request, found, form, status=400)
    place = ("review", approval.public_id) if approval else ("file", public_id)
    return HttpResponseRedirect(reverse(place[0], args=place[1:]))


def _show(
    request: HttpRequest, found: FileNode, form: ShareForm, *, status: int = 200
) -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": found.name,
        "file": found,
        "form": form,
        "people": people(viewer_of(request)),
    }
    return TemplateResponse(request, "chancery/files/share.html", context, status=status)
