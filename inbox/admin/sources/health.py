"""All accounts on one page: what is kept in step with what, as of when, and what is wrong."""

from dataclasses import dataclass

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from inbox.admin.accounts.account_page import standing_of
from inbox.admin.condition import Condition
from inbox.admin.sources.conditions import SourceHealth, sources_of
from inbox.models import Account
from inbox.providers import hosts_of, stays_here
from inbox.viewer import viewer_of

_MOST = 500


@dataclass(frozen=True, slots=True)
class AccountHealth:
    """An account: how its mail does, whether it sends, and its servers."""

    account: Account
    host: str
    stays_here: bool
    mail: Condition | None
    sources: list[SourceHealth]


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Show how every account does."""
    viewer = viewer_of(request)
    accounts = Account.objects.visible_to(viewer.actor).select_related("sync", "workspace")
    some = list(accounts.order_by("address", "pk")[:_MOST])
    sources = sources_of(viewer.actor, some)
    context = {
        **admin.site.each_context(request),
        "title": _("Account health"),
        "accounts": [_of(account, sources.get(account.pk, [])) for account in some],
        "several": viewer.has_several,
    }
    return TemplateResponse(request, "chancery/sources/health.html", context)


def _of(account: Account, sources: list[SourceHealth]) -> AccountHealth:
    state = getattr(account, "sync", None)
    host = next(iter(hosts_of(account.provider, account.settings).values()), "")
    return AccountHealth(
        account, host, stays_here(account.provider),
        standing_of(state, account) if state else None, sources,
    )  # fmt: skip
