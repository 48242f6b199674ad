"""What a sign-in at a provider ends in: an account made or renewed, and what is said of it."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext

from inbox.accounts.sign_in_providers import known_provider, providers_for, sign_in_providers
from inbox.admin.accounts.sign_in_attempts import Attempt
from inbox.admin.finding import first_or_404, let_manage
from inbox.models import Account, RemoteSource, Workspace
from inbox.operations.accounts.connecting import try_account
from inbox.operations.accounts.sending_by_smtp import prefer_smtp
from inbox.operations.accounts.signed_in_sources import (
    connect_signed_in_source,
    sign_in_source_again,
)
from inbox.operations.accounts.signing_in import (
    Revocation,
    SignIn,
    connect_signed_in,
    sign_in_again,
    sources_on_sign_in,
)
from inbox.operations.sending.pauses import resume_sending
from inbox.providers import stays_here
from inbox.providers.presets import preset_of
from inbox.providers.sign_in.declared import KINDS, Kind
from inbox.reasons.words import worded
from inbox.viewer import viewer_of


def account_of(request: HttpRequest, account_id: int) -> Account:
    """Return an account that the person sets up; raises Http404 or PermissionDenied."""
    viewer = viewer_of(request)
    account = Account.objects.visible_to(viewer.actor).filter(pk=account_id).first()
    if account is None:
        raise Http404("There is no such account.")
    if not viewer.may_manage(account.workspace_id):
        raise PermissionDenied
    return account


def keep_sign_in(request: HttpRequest, attempt: Attempt, sign_in: SignIn) -> str:
    """Make the account, or renew its tokens, try it out, and return the page to go on to.

    Raises DomainError where it cannot be kept, and StoreError where the collections that it is for
    cannot be listed; nothing is changed then.
    """
    viewer = viewer_of(request)
    if attempt.workspace_id not in viewer.managed:
        raise PermissionDenied
    if attempt.purpose == "source":
        return _keep_source(request, attempt, sign_in)
    if attempt.account_id is not None:
        account = account_of(request, attempt.account_id)
        sign_in_again(account=account, sign_in=sign_in, by=viewer.actor)
    else:
        workspace = Workspace.objects.visible_to(viewer.actor).get(pk=attempt.workspace_id)
        account = connect_signed_in(
            workspace=workspace, sign_in=sign_in, name=attempt.name, by=viewer.actor
        )
    _tell(request, account, sign_in)
    return attempt.onward or _page_of(account.pk)


def _keep_source(request: HttpRequest, attempt: Attempt, sign_in: SignIn) -> str:
    """Connect what somebody has there, or renew its tokens."""
    by = viewer_of(request).actor
    account = account_of(request, attempt.account_id or 0)
    if attempt.source:
        source = source_of(request, attempt.source)
        sign_in_source_again(source=source, sign_in=sign_in, by=by)
        words = gettext("Signed in with %(provider)s as %(address)s.")
    else:
        source = connect_signed_in_source(account=account, sign_in=sign_in, by=by)
        words = gettext("Connected %(address)s. Choose what to sync under “What is synced”.")
    at = {"provider": sign_in.provider.title, "address": sign_in.address}
    messages.success(request, words % at)
    _tell_refused(request, sign_in)
    return reverse("source", args=[source.public_id])


def source_of(request: HttpRequest, public_id: str) -> RemoteSource:
    """Return a server of an account that the person sets up; raises Http404 or PermissionDenied."""
    viewer = viewer_of(request)
    rows = RemoteSource.objects.visible_to(viewer.actor).with_public_id(public_id)
    source = first_or_404(rows.select_related("account"), "server")
    let_manage(request, source.workspace_id)
    return source


def _tell_refused(request: HttpRequest, sign_in: SignIn) -> None:
    if sign_in.refused:
        at = {"provider": sign_in.provider.title, "kinds": in_words(sign_in.refused)}
        messages.warning(request, gettext("%(provider)s did not grant: %(kinds)s.") % at)


def _tell(request: HttpRequest, account: Account, sign_in: SignIn) -> None:
    at = {"provider": sign_in.provider.title, "address": account.address}
    prefer_smtp(account=account, by=viewer_of(request).actor)
    trial = try_account(account=account, settings=account.settings)
    if trial.is_sound:
        resume_sending(account)
        words = gettext("Signed in with %(provider)s. The mail of %(address)s is coming in now.")
    else:
        words = gettext("Signed in with %(provider)s as %(address)s.")
    messages.success(request, words % at)
    _tell_refused(request, sign_in)
    for finding in trial.findings:
        if finding.kind == "bad":
            title, advice = worded(finding.title).rstrip(".:"), worded(finding.words)
            messages.warning(request, f"{worded(finding.part)}: {title}. {advice}".strip())


def sign_in_context(account: Account) -> dict[str, Any]:
    """Return what an account's page says of signing in: where, as what it is, and what it may."""
    given = account.settings
    signed_in = known_provider(str(given.get("oauth_provider", "")))
    preset = preset_of(given)
    # Who typed another provider's servers in signs in there.
    is_own = preset is None and bool(given.get("imap_host")) and not signed_in
    providers = [it for it in providers_for(preset) if not (is_own and it.declared.presets)]
    if signed_in and any(it.name == signed_in.name for it in sign_in_providers()):
        providers = [signed_in]
    context: dict[str, Any] = {
        "sign_in_providers": providers,
        "signed_in": signed_in,
        "wants_client": not providers and preset is not None and preset.oauth_token_url,
        "shared_servers": ", ".join(one.name for one in sources_on_sign_in(account)),
        "can_disconnect": not stays_here(account.provider) and not given.get("disconnected"),
    }
    if signed_in:
        granted = str(given.get("oauth_granted", "")).split()
        refused = {scope.lower() for scope in str(given.get("oauth_refused", "")).split()}
        declared = signed_in.declared
        context["granted_kinds"] = in_words(declared.granted_kinds(granted))
        context["refused_kinds"] = in_words(
            kind
            for kind, scopes in declared.scopes.items()
            if refused & {scope.lower() for scope in scopes}
        )
    return context


def return_place(attempt: Attempt | None) -> str:
    """Return the page on which a sign-in was begun."""
    if attempt is None:
        return reverse("admin:inbox_account_changelist")
    if attempt.source:
        return reverse("source", args=[attempt.source])
    if attempt.purpose == "source":
        return reverse("source-add", args=[attempt.account_id])
    if attempt.account_id is not None:
        return _page_of(attempt.account_id)
    return attempt.onward or reverse("admin:inbox_account_add")


def told_of(revocation: Revocation, provider: str, grants_url: str) -> str:
    """Return what to tell a person of how a provider was told to forget us."""
    at = {"provider": provider, "place": grants_url}
    words = {
        "none": gettext("Disconnected. The credential was deleted here; the mail stays."),
        "revoked": gettext("Disconnected. %(provider)s has revoked the access; the mail stays."),
        "shared": gettext(
            "Disconnected here. Another account uses the same sign-in at %(provider)s, so it was "
            "not revoked there."
        ),
        "unsupported": gettext(
            "Disconnected here. %(provider)s cannot be told to revoke the access: remove it there. "
            "%(place)s"
        ),
        "failed": gettext(
            "Disconnected here, but %(provider)s did not confirm that the access is revoked: "
            "remove it there. %(place)s"
        ),
    }
    return (words[revocation] % at).strip()


def in_words(kinds: Iterable[Kind]) -> str:
    """Return kinds for a person to read."""
    return ", ".join(worded(KINDS[kind]) for kind in kinds)


def _page_of(account_id: int) -> str:
    return reverse("admin:inbox_account_change", args=[account_id])
