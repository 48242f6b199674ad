"""Where a person grants an agent an account: the code, who asks, and what to give it."""

from typing import Any, cast

from django import forms
from django.contrib import admin, messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from agents.models import DeviceFlow
from agents.operations.granting import device_flows
from agents.operations.granting.device_flows import CodeError, find_flow, written
from inbox.accounts.sign_in_providers import sign_in_providers
from inbox.actor import Actor
from inbox.admin.fresh_login import ask_again, is_fresh, went_back
from inbox.admin.refusals import words_of
from inbox.errors import DomainError
from inbox.models import Account
from inbox.reasons import of_error, phrase
from inbox.reasons.words import worded
from inbox.viewer import viewer_of

_MOST_ACCOUNTS = 200


class GrantForm(forms.Form):
    """An account of the workspace, or the address of a new one."""

    account = forms.ModelChoiceField(
        Account.objects.none(), required=False, empty_label=None, widget=forms.RadioSelect
    )
    address = forms.EmailField(required=False, max_length=254, label=_("Address"))
    name = forms.CharField(required=False, max_length=200, label=_("Sender's name"))

    def __init__(self, flow: DeviceFlow, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("forms.ModelChoiceField[Account]", self.fields["account"]).queryset = _accounts(flow)


@require_safe
def device(request: HttpRequest) -> HttpResponse:
    """Ask for the code; a link may have filled it in, but nothing is done by GET."""
    _owner(request)
    return _ask(request, request.GET.get("code", "")[:20])


@require_POST
def look(request: HttpRequest) -> HttpResponse:
    """Show who asks under this code."""
    return _with_flow(request, lambda flow: _show(request, flow))


@require_POST
def decide(request: HttpRequest) -> HttpResponse:
    """Grant what was chosen, or refuse."""
    return _with_flow(request, lambda flow: _decide(request, flow))


def _owner(request: HttpRequest) -> list[int]:
    managed = viewer_of(request).managed
    if not managed:
        raise PermissionDenied
    return managed


def _with_flow(request: HttpRequest, page: Any) -> HttpResponse:
    managed = _owner(request)
    typed = request.POST.get("code", "")
    try:
        flow = find_flow(by=cast("User", request.user), workspace_ids=managed, typed=typed)
    except CodeError as error:
        return _ask(request, typed[:20], worded(of_error(error)))
    response: HttpResponse = page(flow)
    return response


def _decide(request: HttpRequest, flow: DeviceFlow) -> HttpResponse:
    form = GrantForm(flow, request.POST)
    action = request.POST.get("action", "")
    if not form.is_valid():
        return _show(request, flow, form)
    if action != "refuse" and not is_fresh(request):
        if went_back(request):
            return _show(request, flow, form, status=200)
        return ask_again(request, _("This gives an agent an account."))
    try:
        words = _do(action, flow, _person(request, flow), form.cleaned_data)
    except DomainError as error:
        form.add_error("address" if error.field == "address" else None, words_of(error))
        return _show(request, flow, form)
    messages.success(request, words)
    return HttpResponseRedirect(reverse("device"))


def _do(action: str, flow: DeviceFlow, by: Actor, given: dict[str, Any]) -> str:
    """Do what was chosen and return what to say of it; raises DomainError where it cannot be."""
    name = flow.agent.name
    if action == "refuse":
        device_flows.refuse(flow=flow, by=by)
        return gettext("Refused. %(name)s will be told.") % {"name": name}
    if action == "make" and given["address"]:
        account = device_flows.grant_new(
            flow=flow, by=by, address=given["address"], name=given["name"]
        )
    elif action == "grant" and given["account"]:
        account = given["account"]
        device_flows.grant(flow=flow, by=by, account=account)
    else:
        words = gettext_noop("Choose an account or enter the address of a new one.")
        raise DomainError("invalid_input", phrase(words))
    words = gettext("%(name)s can now work with %(address)s.")
    return words % {"name": name, "address": account.address}


def _person(request: HttpRequest, flow: DeviceFlow) -> Actor:
    return viewer_of(request).actor.within(flow.workspace_id)


def _ask(request: HttpRequest, code: str, refusal: str = "") -> HttpResponse:
    context = {
        **admin.site.each_context(request),
        "title": _("Grant an account"),
        "code": code,
        "refusal": refusal,
    }
    status = 400 if refusal else 200
    return TemplateResponse(request, "chancery/agents/device_code.html", context, status=status)


def _show(
    request: HttpRequest, flow: DeviceFlow, form: GrantForm | None = None, *, status: int = 400
) -> HttpResponse:
    viewer = viewer_of(request)
    context = {
        **admin.site.each_context(request),
        "title": _("Grant an account"),
        "flow": flow,
        "code": written(flow.user_code),
        "held": _accounts(flow).filter(pk__in=flow.agent.grants.values("account_id")),
        "accounts": _accounts(flow)[:_MOST_ACCOUNTS],
        "form": form or GrantForm(flow),
        "workspace_name": flow.workspace.name if viewer.has_several else "",
        "sign_in_providers": sign_in_providers(),
        # Where connecting another account leads back to, with the code filled in.
        "way_back": f"{reverse('device')}?code={written(flow.user_code)}",
    }
    return TemplateResponse(
        request, "chancery/agents/device_grant.html", context, status=status if form else 200
    )


def _accounts(flow: DeviceFlow) -> Any:
    return Account.objects.filter(workspace_id=flow.workspace_id).order_by("address")
