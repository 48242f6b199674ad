"""The page of one server: what is kept in step with it, how that goes, and what gave way."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from inbox.accounts.credentials import Secret
from inbox.accounts.sign_in_providers import known_provider
from inbox.admin.accounts.sign_in_endings import in_words, told_of
from inbox.admin.condition import is_due
from inbox.admin.finding import first_or_404, let_decide, let_manage
from inbox.admin.sources.conditions import condition_of, provider_title
from inbox.admin.sources.connecting import way_in
from inbox.admin.sources.forms import PasswordForm, typed_secret
from inbox.models import (
    FileNode,
    RemoteCollection,
    RemoteItem,
    RemoteSource,
    SyncConflict,
    SyncStatus,
)
from inbox.operations.accounts.signed_in_sources import disconnect_signed_in_source
from inbox.operations.accounts.sources import (
    change_collection,
    change_source_secret,
    set_source_paused,
)
from inbox.providers import PROVIDERS, hosts_of
from inbox.providers.declaration import Declaration
from inbox.syncing.collections.visiting import ask_for_source_sync
from inbox.viewer import viewer_of

MOST_PROBLEMS = 50
MOST_CONFLICTS = 50
_BUSY = frozenset({SyncStatus.NEW, SyncStatus.FIRST})


@require_safe
def source_state(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show how it goes, for the page to put in place of what it shows."""
    source = _source(request, public_id)
    return render(request, "chancery/sources/state.html", _state(request, source))


@sensitive_post_parameters("password")
def source_page(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the page, or do what was posted to it."""
    action = request.POST.get("action", "")
    if action == "disconnect" and _found(request, public_id).first() is None:
        # The button was pressed twice, or in another tab before.
        messages.info(request, _("It is disconnected already."))
        return HttpResponseRedirect(reverse("admin:inbox_account_changelist"))
    source = _source(request, public_id)
    if request.method != "POST":
        return _show(request, source, PasswordForm(PROVIDERS.get(source.provider)))
    may = let_decide if action in {"sync", "seen", "all_seen"} else let_manage
    may(request, source.workspace_id)
    actions: dict[str, Callable[[HttpRequest, RemoteSource], HttpResponse]] = {
        "sync": _sync,
        "pause": _pause,
        "resume": _resume,
        "collections": _save_collections,
        "password": _save_password,
        "disconnect": _disconnect,
        "seen": _mark_seen,
        "all_seen": _mark_all_seen,
    }
    if action not in actions:
        raise PermissionDenied
    return actions[action](request, source)


def _found(request: HttpRequest, public_id: str) -> QuerySet[RemoteSource]:
    rows = RemoteSource.objects.visible_to(viewer_of(request).actor).with_public_id(public_id)
    return rows.select_related("account", "workspace")


def _source(request: HttpRequest, public_id: str) -> RemoteSource:
    return first_or_404(_found(request, public_id), "server")


def _state(request: HttpRequest, source: RemoteSource) -> dict[str, Any]:
    viewer = viewer_of(request)
    items = RemoteItem.objects.filter(collection__source=source, collection__is_taken=True)
    is_busy = source.status in _BUSY
    return {
        "source": source,
        "standing": condition_of(source),
        "is_busy": is_busy,
        "total": items.count() if is_busy else source.total,
        "done": items.filter(stale=False).count() if is_busy else source.done,
        "is_due": is_due(source),
        "is_paused": source.status == SyncStatus.PAUSED,
        "wants_password": source.status in {SyncStatus.LOGIN_REFUSED, SyncStatus.LOCKED},
        "manages": viewer.may_manage(source.workspace_id),
        "decides": viewer.may_decide(source.workspace_id),
    }


def _show(request: HttpRequest, source: RemoteSource, form: PasswordForm) -> HttpResponse:
    declared = PROVIDERS.get(source.provider)
    problems = RemoteItem.objects.filter(collection__source=source).exclude(problem="")
    conflicts = _conflicts(request, source)
    context = {
        **admin.site.each_context(request),
        **_state(request, source),
        "title": source.name,
        "provider": provider_title(source),
        "collections": _counted(request, source),
        "problems": problems.select_related("collection").order_by("-pk")[:MOST_PROBLEMS],
        "problem_count": problems.count(),
        "conflicts": [_conflict(one) for one in _newest(conflicts)],
        "conflict_count": conflicts.count(),
        "form": form,
        "has_password": bool(declared and typed_secret(declared)),
        "addresses": _addresses(source, manages=viewer_of(request).may_manage(source.workspace_id)),
        "way_in": _way_in(source, declared),
    }
    return TemplateResponse(request, "chancery/sources/source.html", context)


def _addresses(source: RemoteSource, *, manages: bool) -> list[str]:
    """Return the addresses that its settings name; only the hosts to who does not manage it.

    Whoever knows the address of a calendar may read it.
    """
    named = hosts_of(source.provider, source.settings)
    if not manages:
        return [*dict.fromkeys(named.values())]
    return [str(source.settings[name]) for name in named if name in source.settings]


def _way_in(source: RemoteSource, declared: Declaration | None) -> dict[str, Any] | None:
    """Return how one signs in again, with what is allowed now ticked."""
    way = way_in(declared) if declared else None
    if way is None or declared is None:
        return None
    granted = str(source.settings.get("oauth_granted", "")).split()
    allowed = way["provider"].declared.granted_kinds(granted)
    for kind in way["kinds"]:
        kind["is_ticked"] = kind["name"] in allowed
    return way | {"allowed": in_words(kind for kind in declared.granted_kinds if kind in allowed)}


def _newest(conflicts: Any) -> Any:
    return conflicts.select_related("collection").order_by("-created_at", "-pk")[:MOST_CONFLICTS]


def _conflicts(request: HttpRequest, source: RemoteSource) -> QuerySet[SyncConflict]:
    rows = SyncConflict.objects.visible_to(viewer_of(request).actor)
    return rows.filter(collection__source=source, seen_at=None)


def _collections(request: HttpRequest, source: RemoteSource) -> QuerySet[RemoteCollection]:
    rows = RemoteCollection.objects.visible_to(viewer_of(request).actor).filter(source=source)
    return rows.select_related("source__account", "folder")


def _counted(request: HttpRequest, source: RemoteSource) -> Any:
    counts = {
        "count": Count("items", filter=Q(items__gone=False)),
        "waiting": Count("items", filter=Q(items__stale=True) | Q(items__dirty=True)),
    }
    return _collections(request, source).annotate(**counts).order_by("kind", "name", "pk")


def _conflict(conflict: SyncConflict) -> dict[str, Any]:
    names = sorted(conflict.ours)
    sides = [(name, conflict.ours.get(name), conflict.theirs.get(name)) for name in names]
    file = ""
    if conflict.collection.kind == "files":
        # A content is named by a digest, which says nothing to a person.
        sides = [side for side in sides if side[0] != "digest"]
        file = FileNode(pk=int(conflict.key)).public_id if conflict.key.isdecimal() else ""
    is_version = bool(file) and "digest" in conflict.ours
    return {"row": conflict, "sides": sides, "file": file, "is_version": is_version}


# -- actions ---------------------------------------------------------------------------------------
def _sync(request: HttpRequest, source: RemoteSource) -> HttpResponse:
    if ask_for_source_sync(source=source, by_person=True):
        # A person wants to see what is new there as well.
        RemoteSource.objects.filter(pk=source.pk).update(listed_at=None)
        messages.success(request, _("Checking now."))
    else:
        messages.warning(request, _("It is paused. Resume it first."))
    return _back(source)


def _pause(request: HttpRequest, source: RemoteSource) -> HttpResponse:
    set_source_paused(source=source, paused=True, by=viewer_of(request).actor)
    messages.success(request, _("It is paused."))
    return _back(source)


def _resume(request: HttpRequest, source: RemoteSource) -> HttpResponse:
    set_source_paused(source=source, paused=False, by=viewer_of(request).actor)
    messages.success(request, _("Checking now."))
    return _back(source)


def _save_collections(request: HttpRequest, source: RemoteSource) -> HttpResponse:
    taken = set(request.POST.getlist("taken"))
    read_only = set(request.POST.getlist("read_only"))
    for collection in _collections(request, source):
        # Of one that the server lets nobody write, the page asks nothing.
        is_marked = collection.public_id in read_only
        is_read_only = is_marked if collection.is_writable else collection.read_only
        wanted = (collection.public_id in taken, is_read_only)
        if wanted != (collection.is_taken, collection.read_only) and not collection.is_gone:
            change_collection(
                collection=collection, taken=wanted[0], read_only=wanted[1],
                by=viewer_of(request).actor,
            )  # fmt: skip
    messages.success(request, _("Saved."))
    return _back(source)


def _save_password(request: HttpRequest, source: RemoteSource) -> HttpResponse:
    form = PasswordForm(PROVIDERS.get(source.provider), request.POST)
    if not form.is_valid():
        return _show(request, source, form)
    secret = Secret(form.cleaned_data["password"])
    change_source_secret(source=source, secret=secret, by=viewer_of(request).actor)
    messages.success(request, _("Saved. Checking now."))
    return _back(source)


def _disconnect(request: HttpRequest, source: RemoteSource) -> HttpResponse:
    account, name = source.account, source.name
    keep = request.POST.get("keep") == "yes"
    by = viewer_of(request).actor
    revocation = disconnect_signed_in_source(source=source, keep=keep, by=by)
    known = known_provider(str(source.settings.get("oauth_provider", "")))
    if revocation == "none" or known is None:
        messages.success(request, _("Disconnected %(name)s.") % {"name": name})
    else:
        words = told_of(revocation, known.title, known.declared.grants_url)
        messages.success(request, words)
    return HttpResponseRedirect(reverse("admin:inbox_account_change", args=[account.pk]))


def _mark_seen(request: HttpRequest, source: RemoteSource) -> HttpResponse:
    """Note that those which the page showed were seen; others may have come since."""
    shown = [int(one) for one in request.POST.getlist("shown")[:MOST_CONFLICTS] if _is_key(one)]
    _conflicts(request, source).filter(pk__in=shown).update(seen_at=timezone.now())
    return _back(source)


def _is_key(text: str) -> bool:
    return text.isdecimal() and len(text) < 19


def _mark_all_seen(request: HttpRequest, source: RemoteSource) -> HttpResponse:
    _conflicts(request, source).update(seen_at=timezone.now())
    return _back(source)


def _back(source: RemoteSource) -> HttpResponse:
    return HttpResponseRedirect(reverse("source", args=[source.public_id]))
