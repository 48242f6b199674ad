"""The mail to begin with: the page that connects an account, or how far the demo's has come in."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from agents.operations.setup.demo import read_filling
from inbox.models import Account
from inbox.viewer import viewer_of
from project.first_run.set_up import read_set_up
from project.first_run.showing import show_step

MOST = 20


@require_safe
def mail(request: HttpRequest) -> HttpResponse:
    """Show what is connected; where nothing is, lead to the page that connects."""
    set_up = read_set_up(request)
    if set_up.workspace is None:
        return HttpResponseRedirect(reverse("start-workspace"))
    actor = viewer_of(request).actor.within(set_up.workspace.pk)
    accounts = list(Account.objects.visible_to(actor).order_by("pk")[:MOST])
    query = urlencode({"next": reverse("start-mail"), "workspace": set_up.workspace.pk})
    connect = f"{reverse('admin:inbox_account_add')}?{query}"
    if not accounts:
        return HttpResponseRedirect(connect)
    more = {
        "title": _("The demo's mail") if set_up.is_demo else _("Mail"),
        "accounts": accounts,
        "connect_url": connect,
        "filling": read_filling(set_up.workspace) if set_up.is_demo else None,
    }
    return show_step(request, "mail", set_up, more)
