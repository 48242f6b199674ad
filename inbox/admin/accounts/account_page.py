"""The page of one account: how its mirror does, what to do about it, and how it is reached.

No transaction is open while a server is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, F
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters, sensitive_variables

from inbox.accounts.account_settings import AUTHS
from inbox.accounts.sign_in_providers import known_provider
from inbox.admin.accounts.forms import ConnectionForm, MailSettingsForm, add_refusal
from inbox.admin.accounts.sign_in_endings import sign_in_context, told_of
from inbox.admin.accounts.typed_credentials import forget, recall, remember
from inbox.admin.condition import Condition, is_due
from inbox.admin.refusals import words_of
from inbox.admin.sources.conditions import sources_of
from inbox.errors import DomainError
from inbox.models import Account, RemoteMessage, SyncState, SyncStatus
from inbox.operations.accounts.connecting import (
    Trial,
    change_connection,
    pause_account,
    refuse_other_places,
    resume_account,
    trust_servers_of_provider,
    try_account,
    try_connection,
    unchecked_by,
)
from inbox.operations.accounts.setup_facts import publish_account_change
from inbox.operations.accounts.signed_in_sources import disconnect_account_with_sources
from inbox.operations.accounts.signing_in import disconnect_account
from inbox.operations.sending.pauses import resume_sending, waiting_of
from inbox.providers import PROVIDERS, hosts_of, is_read_by_changes, stays_here
from inbox.providers.presets import guess, preset_of
from inbox.reasons.words import worded
from inbox.syncing.scheduling import ask_for_sync
from inbox.viewer import viewer_of

MOST_FOLDERS = 200
MOST_PROBLEMS = 50


_STANDINGS: dict[str, Condition] = {
    SyncStatus.NEW: Condition(_("new"), _("Syncing for the first time soon"), "calm"),
    SyncStatus.FIRST: Condition(
        _("first read"), _("Syncing for the first time, newest mail first"), "calm"
    ),
    SyncStatus.CURRENT: Condition(_("up to date"), _("Up to date"), "good"),
    SyncStatus.WAITING: Condition(
        _("waits"), _("Waiting to try again"), "warn",
        _("You don't need to do anything. It tries again automatically."),
    ),
    SyncStatus.THROTTLED: Condition(
        _("throttled"), _("The provider asks us to slow down"), "warn",
        _("You don't need to do anything. It continues when the provider allows it."),
    ),
    SyncStatus.LOGIN_REFUSED: Condition(
        _("login refused"), _("Sign-in refused"), "bad",
        _("Enter a new password or token under “Connection”. Until then sign-in is tried only "
          "rarely, so that the provider does not lock the account."),
    ),
    SyncStatus.LOCKED: Condition(
        _("locked"), _("Its password cannot be decrypted here"), "bad",
        _("Ask the operator of this server to put the key back, or enter a new password or token "
          "under “Connection”. The provider was not asked and has refused nothing."),
    ),
    SyncStatus.FAILED: Condition(
        _("failed"), _("It cannot be read"), "bad",
        _("Test the connection under “Connection” to see which step fails."),
    ),
    SyncStatus.PAUSED: Condition(
        _("paused"), _("Paused"), "warn",
        _("Syncing with the provider stops until someone resumes it. Approved mail is still sent."),
    ),
}  # fmt: skip
_BUSY = frozenset({SyncStatus.NEW, SyncStatus.FIRST})


_DISCONNECTED = Condition(
    _("disconnected"), _("Disconnected"), "warn",
    _("Nothing is read or sent. Its mail stays here. Sign in again, or enter a credential under "
      "“Connection”."),
)  # fmt: skip


def standing_of(state: SyncState, account: Account) -> Condition:
    """Return how a mirror does, for its page and for lists."""
    if account.settings.get("disconnected"):
        return _DISCONNECTED
    if state.status == SyncStatus.WAITING and not state.failures:
        return Condition(_("waits"), _("Checking soon"), "calm")
    found = _STANDINGS[state.status]
    if state.status == SyncStatus.LOGIN_REFUSED and account.settings.get("oauth_provider"):
        words = _("Sign in again under “Sign-in”. Nothing comes in until then.")
        return replace(found, advice=words)
    return found


# -- showing ---------------------------------------------------------------------------------------
def mirror(request: HttpRequest, account: Account) -> HttpResponse:
    """Show how the mirror does, for the page to put in place of what it shows."""
    return render(request, "chancery/accounts/mirror.html", _mirror_context(request, account))


def _mirror_context(request: HttpRequest, account: Account) -> dict[str, Any]:
    viewer = viewer_of(request)
    state = SyncState.objects.visible_to(viewer.actor).filter(account=account).first()
    resumes_at = account.sending_resumes_at
    return {
        "account": account,
        "state": state,
        "standing": standing_of(state, account) if state else None,
        "waiting": waiting_of(account).count() if resumes_at else 0,
        "sending_is_due": bool(resumes_at and resumes_at <= timezone.now()),
        "is_busy": bool(state and state.status in _BUSY),
        "is_due": is_due(state),
        "is_disconnected": bool(account.settings.get("disconnected")),
        "is_paused": bool(state and state.status == SyncStatus.PAUSED),
        "stays_here": stays_here(account.provider),
        "manages": viewer.may_manage(account.workspace_id),
        "decides": viewer.may_decide(account.workspace_id),
    }


@dataclass(frozen=True, slots=True)
class _Shown:
    """What a page shows beside what is kept: forms as they were filled in, and what was found."""

    form: ConnectionForm | None = None
    mail_settings: MailSettingsForm | None = None
    trial: Trial | None = None
    is_kept: bool = False


def _show(request: HttpRequest, account: Account, shown: _Shown | None = None) -> HttpResponse:
    shown = shown or _Shown()
    problems = RemoteMessage.objects.filter(folder__account=account).exclude(problem="")
    form = shown.form or ConnectionForm(initial=_initial(account), kept=account.settings)
    context = {
        **admin.site.each_context(request),
        **_mirror_context(request, account),
        "title": account.address,
        "workspace_name": account.workspace.name if viewer_of(request).has_several else "",
        "folders": _folders(account),
        "problems": problems.select_related("folder").order_by("-pk")[:MOST_PROBLEMS],
        "sources": sources_of(viewer_of(request).actor, [account]).get(account.pk, []),
        "preset": preset_of(account.settings),
        "unchecked_by": unchecked_by(account),
        "host": next(iter(hosts_of(account.provider, account.settings).values()), ""),
        "interface": _interface_of(account),
        **sign_in_context(account),
        "form": form,
        "mail_settings": shown.mail_settings or MailSettingsForm(instance=account),
        "trial": shown.trial,
        "is_kept": shown.is_kept,
        "opens": bool(shown.form or shown.trial),
        "show_servers": bool(form.errors),
    }
    return TemplateResponse(request, "chancery/accounts/account.html", context)


def _folders(account: Account) -> Any:
    """Return its mailboxes at the server, each with how many messages it holds (`shown`)."""
    # Only IMAP says so itself; of the others the places are counted that we know.
    is_counted = is_read_by_changes(account.provider)
    shown = Count("contents") if is_counted else F("messages")
    return account.remote_folders.annotate(shown=shown).order_by("name")[:MOST_FOLDERS]


def _interface_of(account: Account) -> str:
    """Return what the provider's own interface is called, empty where mail servers are used."""
    declared = PROVIDERS.get(str(account.settings.get("mail_api", "")))
    return worded(declared.title) if declared else ""


def _initial(account: Account) -> dict[str, Any]:
    usual = {"auth": AUTHS[0], "username": account.address}
    return {**usual, **(account.settings or guess(account.address))}


# -- actions ---------------------------------------------------------------------------------------
@sensitive_post_parameters("password", "access_token", "refresh_token", "client_secret")
def account_page(request: HttpRequest, account: Account) -> HttpResponse:
    """Show the page, or do what was posted to it."""
    if request.method != "POST":
        return _show(request, account)
    action = request.POST.get("action", "")
    may = viewer_of(request).may_decide if action == "sync" else viewer_of(request).may_manage
    if not may(account.workspace_id):
        raise PermissionDenied
    actions: dict[str, Callable[[HttpRequest, Account], HttpResponse]] = {
        "sync": _sync,
        "pause": _pause,
        "resume": _resume,
        "mail_settings": _save_mail_settings,
        "own_servers": _take_word,
        "disconnect": _disconnect,
    }
    return actions.get(action, _connection)(request, account)


def _sync(request: HttpRequest, account: Account) -> HttpResponse:
    if ask_for_sync(account=account, by_person=True):
        messages.success(request, _("Checking now."))
    else:
        messages.warning(request, _("It is paused. Resume it first."))
    return _back(account)


def _pause(request: HttpRequest, account: Account) -> HttpResponse:
    return _do(request, account, pause_account, _("It is paused."))


def _resume(request: HttpRequest, account: Account) -> HttpResponse:
    return _do(request, account, resume_account, _("Checking now."))


def _take_word(request: HttpRequest, account: Account) -> HttpResponse:
    words = _(
        "From now on Chancery uses its servers' sender checks. Mail already here stays unchecked."
    )
    return _do(request, account, trust_servers_of_provider, words)


def _disconnect(request: HttpRequest, account: Account) -> HttpResponse:
    named = known_provider(str(account.settings.get("oauth_provider", "")))
    with_servers = request.POST.get("servers") == "yes"
    disconnect = disconnect_account_with_sources if with_servers else disconnect_account
    try:
        revocation = disconnect(account=account, by=viewer_of(request).actor)
    except DomainError as error:
        messages.error(request, words_of(error))
        return _back(account)
    host = account.settings.get("oauth_token_url") or account.settings.get("imap_host") or ""
    title = named.title if named else urlsplit(str(host)).hostname or str(host)
    words = told_of(revocation, title, named.declared.grants_url if named else "")
    tell = messages.warning if revocation in ("failed", "unsupported") else messages.success
    tell(request, words)
    return _back(account)


def _do(
    request: HttpRequest, account: Account, action: Callable[..., None], words: Any
) -> HttpResponse:
    try:
        action(account=account, by=viewer_of(request).actor)
    except DomainError as error:
        messages.error(request, words_of(error))
    else:
        messages.success(request, words)
    return _back(account)


def _save_mail_settings(request: HttpRequest, account: Account) -> HttpResponse:
    form = MailSettingsForm(request.POST, instance=account)
    if not form.is_valid():
        account.refresh_from_db()
        return _show(request, account, _Shown(mail_settings=form))
    with transaction.atomic():
        form.save()
        if form.changed_data:
            publish_account_change(
                account, "account.changed", viewer_of(request).actor, form.changed_data
            )
    messages.success(request, _("Saved."))
    return _back(account)


@sensitive_variables("credential", "trial")
def _connection(request: HttpRequest, account: Account) -> HttpResponse:
    """Try what was typed; keep it where it is sound, or is wanted anyway."""
    form = ConnectionForm(request.POST, kept=account.settings)
    action = request.POST.get("action", "")
    if not form.is_valid():
        return _show(request, account, _Shown(form))
    purpose = f"account {account.pk}"
    credential = form.credential or recall(request, purpose)
    try:
        if credential is None:
            refuse_other_places(account=account, settings=form.settings)
        trial = None
        if action != "anyway":
            trial = _tried(account, form.settings, credential)
            credential = trial.credential or credential
        if action == "anyway" or (action == "save" and trial and trial.is_sound):
            return _save(request, account, form.settings, credential)
    except DomainError as error:
        add_refusal(form, error)
        return _show(request, account, _Shown(form))
    remember(request, purpose, credential)
    return _show(request, account, _Shown(form, trial=trial, is_kept=credential is not None))


def _tried(account: Account, settings: dict[str, Any], credential: Any) -> Trial:
    if credential is None:
        trial = try_account(account=account, settings=settings)
        if trial.is_sound:
            resume_sending(account)
        return trial
    return try_connection(address=account.address, settings=settings, credential=credential)


def _save(
    request: HttpRequest, account: Account, settings: dict[str, Any], credential: Any
) -> HttpResponse:
    by = viewer_of(request).actor
    change_connection(account=account, settings=settings, credential=credential, by=by)
    forget(request)
    messages.success(request, _("Saved. Checking it now."))
    return _back(account)


def _back(account: Account) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:inbox_account_change", args=[account.pk]))
