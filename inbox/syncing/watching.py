"""Watching: a connection waits in the inbox of each account and tells at once when mail comes.

Of all processes one watches an account, by `SyncState.watch_fence`. Whoever watches reads and
writes nothing there: it asks for a sync. Where nobody can watch, the rounds still find everything.
"""

import logging
import secrets
import threading
import time
from datetime import datetime, timedelta
from functools import partial

from django.conf import settings
from django.db import close_old_connections, connections
from django.db.models import Q
from django.db.models.functions import Least
from django.utils import timezone

from inbox.models import Account
from inbox.models.remote import RemoteFolder, SyncState, SyncStateQuerySet, SyncStatus
from inbox.operations.accounts.connections import mail_store_of, with_mail_changes
from inbox.providers import is_read_by_changes
from inbox.providers.mail_changes import MailChangeStore
from inbox.providers.mail_store import MailStore, StoreError
from inbox.reasons import of_error
from inbox.syncing.scheduling import UNWATCHED, ask_for_sync
from inbox.syncing.turns import pause_after

# How long one wait takes, after which the row is renewed: far below the 29 minutes of RFC 2177.
WAIT = 110.0
HELD_FOR = timedelta(minutes=4)
# How often a process looks for accounts that nobody watches, in seconds.
LOOK = 10.0
# A burst of news is one sync.
BREATH = 1.0
# A sync needs a connection beside the watcher's.
_FEWEST_CONNECTIONS = 2
_LOOKED_AT = 1000
# By which of its features a server tells of news: IDLE, or an event source.
_NEWS = frozenset({"idle", "push"})

log = logging.getLogger(__name__)


def unwatched(now: datetime) -> list[SyncState]:
    """Return the accounts that could be watched and are not, by nobody."""
    free = Q(watched_until=None) | Q(watched_until__lte=now)
    rows = SyncState.objects.filter(free, status=SyncStatus.CURRENT).select_related("account")
    found = rows.order_by("watched_until", "pk")[:_LOOKED_AT]
    return [state for state in found if _is_watchable(state)]


def _is_watchable(state: SyncState) -> bool:
    most = state.account.settings.get("imap_max_connections", _FEWEST_CONNECTIONS)
    return not _NEWS.isdisjoint(state.features) and most >= _FEWEST_CONNECTIONS


class Watch:
    """The right to watch one account, as long as it is renewed."""

    def __init__(self, state: SyncState) -> None:
        self.account: Account = state.account
        self._fence = secrets.token_hex(16)
        self._key = state.pk

    def claim(self) -> bool:
        """Take it, where nobody else has by now."""
        now = timezone.now()
        free = Q(watched_until=None) | Q(watched_until__lte=now)
        rows = SyncState.objects.filter(free, pk=self._key, status=SyncStatus.CURRENT)
        return bool(rows.update(watch_fence=self._fence, watched_until=now + HELD_FOR))

    def renew(self) -> bool:
        """Keep it; False where it was lost, or the account is paused, refused or gone."""
        rows = self._own().filter(status=SyncStatus.CURRENT)
        return bool(rows.update(watched_until=timezone.now() + HELD_FOR))

    def release(self) -> None:
        """Give it back; the rounds come more often again."""
        soon = timezone.now() + UNWATCHED
        rows = self._own()
        rows.filter(next_at__isnull=False).update(next_at=Least("next_at", soon))
        rows.update(watch_fence="", watched_until=None)

    def _own(self) -> SyncStateQuerySet:
        return SyncState.objects.filter(pk=self._key, watch_fence=self._fence)


def watch(held: Watch, stopping: threading.Event) -> None:
    """Wait for news of an account and ask for syncs, until it is lost or all is to stop.

    Raises StoreError.
    """
    if is_read_by_changes(held.account.provider):
        with_mail_changes(held.account, partial(_watch_changes, held, stopping))
        return
    folder = RemoteFolder.objects.filter(account=held.account, role="inbox").first()
    if folder is None:
        return
    with mail_store_of(held.account) as store:
        _look(held.account, store, folder)
        while not stopping.is_set() and held.renew():
            if _has_news(store) and not stopping.is_set():
                _look(held.account, store, folder)


def _watch_changes(held: Watch, stopping: threading.Event, store: MailChangeStore) -> None:
    """Watch mail that is followed by change tokens; what came before is asked for at once."""
    with store:
        ask_for_sync(account=held.account)
        while not stopping.is_set() and held.renew():
            if _has_news(store) and not stopping.is_set():
                ask_for_sync(account=held.account)


def _look(account: Account, store: MailStore, folder: RemoteFolder) -> None:
    """Ask for a sync, unless our rows are as the mailbox is: what we did ourselves is news too."""
    state = store.open(folder.name, read_only=True).state
    close_old_connections()
    alike = RemoteFolder.objects.filter(
        pk=folder.pk, uidvalidity=state.uidvalidity, uidnext=state.uidnext,
        messages=state.messages, highest_modseq=state.highest_modseq,
    )  # fmt: skip
    # Without a mod-sequence nothing tells that no keyword changed (RFC 7162 3.1.2).
    if state.highest_modseq is None or not alike.exists():
        ask_for_sync(account=account)


def _has_news(store: MailStore | MailChangeStore) -> bool:
    # For as long as this waits it needs no connection to the database.
    connections.close_all()
    if not store.wait(WAIT):
        return False
    time.sleep(BREATH)
    return True


class Watchers:
    """Watches, in a thread each, as many of the accounts that nobody watches as it may."""

    def __init__(self, most: int | None = None) -> None:
        self._most = settings.MOST_WATCHED if most is None else most
        self._stopping = threading.Event()
        self._held: dict[int, Watch] = {}
        # After trouble with watching an account: how often, and when it is tried again.
        self._trouble: dict[int, tuple[int, float]] = {}
        self._looker = threading.Thread(target=self._look, name="watchers", daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        if self._most > 0:
            self._looker.start()

    def stop(self) -> None:
        """Give back what is watched, so that another process takes it up at once.

        The threads still wait for their servers; they end with the process, or with their wait.
        """
        self._stopping.set()
        if self._looker.is_alive():
            self._looker.join(LOOK)
        for held in list(self._held.values()):
            held.release()

    @property
    def number(self) -> int:
        """How many accounts are watched here."""
        return len(self._held)

    def _look(self) -> None:
        while not self._stopping.is_set():
            try:
                close_old_connections()
                self._take_up()
            except Exception:
                log.exception("looking for accounts to watch had trouble and goes on")
            finally:
                connections.close_all()
            self._stopping.wait(LOOK)

    def _take_up(self) -> None:
        room = self._most - len(self._held)
        if room <= 0:
            return
        for state in unwatched(timezone.now()):
            _, not_before = self._trouble.get(state.account_id, (0, 0.0))
            if room <= 0 or self._stopping.is_set():
                return
            held = Watch(state)
            if time.monotonic() < not_before or not held.claim():
                continue
            room -= 1
            self._held[state.account_id] = held
            name = f"watch-{state.account_id}"
            threading.Thread(target=self._watch, args=(held,), name=name, daemon=True).start()

    def _watch(self, held: Watch) -> None:
        key = held.account.pk
        try:
            watch(held, self._stopping)
            self._trouble.pop(key, None)
        except StoreError as error:
            self._note_trouble(key, error)
        except Exception as error:
            log.exception("watching account %s had trouble", key)
            self._note_trouble(key, StoreError("transient", of_error(error)))
        finally:
            self._held.pop(key, None)
            if not self._stopping.is_set():
                _give_back(held)

    def _note_trouble(self, key: int, error: StoreError) -> None:
        failures, _ = self._trouble.get(key, (0, 0.0))
        pause = pause_after(error, failures=failures).total_seconds()
        self._trouble[key] = (failures + 1, time.monotonic() + pause)
        log.info("account %s is not watched for %.0f s: %s", key, pause, error.words)


def _give_back(held: Watch) -> None:
    try:
        close_old_connections()
        held.release()
    except Exception:
        log.exception("a watch could not be given back; it ends by itself")
    finally:
        connections.close_all()
