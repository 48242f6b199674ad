"""One sync of an account: by one worker at a time, who tells, reads, and says when to come again.

Each step may be cut off anywhere: the rows say how far it came, and the next sync goes on there.
"""

import logging
from datetime import datetime
from functools import partial
from typing import Any

from django.utils import timezone

from inbox.background.heartbeat import renewed
from inbox.background.jobs import Payload, handler
from inbox.models import Account
from inbox.operations.accounts.connections import mail_store_of, with_mail_changes
from inbox.providers import is_read_by_changes
from inbox.providers.mail_changes import MailChangeStore
from inbox.providers.mail_store import StoreError
from inbox.reasons import phrase as _
from inbox.syncing.by_changes.pulling import pull_changes
from inbox.syncing.by_changes.telling import tell_changes
from inbox.syncing.incoming.pulling import pull
from inbox.syncing.outcomes import Pulled, PushOutcome
from inbox.syncing.outgoing.pushing import push_changes
from inbox.syncing.scheduling import JOB, hold, renew, settle_failure, settle_success
from inbox.syncing.turns import LEASE, LeaseLost, SyncLease
from inbox.syncing.visits import visiting, visiting_changes

log = logging.getLogger(__name__)


@handler(JOB)
def sync(payload: Payload) -> None:
    """Bring an account and its provider to the same state, where that is due."""
    sync_account(payload["account_id"])


def sync_account(account_id: int) -> bool:
    """Sync an account that is due and that nobody else syncs; return whether it went well.

    What goes wrong is written into its SyncState, which says when it is tried again.
    """
    held = hold(account_id)
    if held is None:
        return False
    with renewed(partial(renew, held), LEASE):
        try:
            fields = _visit(account_id, held)
        except LeaseLost:
            log.warning("another worker took over the sync of account %s", account_id)
            return False
        except StoreError as error:
            # Once, and not for each call that hears of it until it is tried again.
            log.warning("account %s: %s", account_id, f"{error.words} {error.reply}".strip())
            settle_failure(held, error)
            return False
        except Exception as error:
            log.exception("the sync of account %s failed", account_id)
            words = _("The sync failed unexpectedly (%(error)s).", error=type(error).__name__)
            settle_failure(held, StoreError("transient", words))
            return False
        return settle_success(held, **fields)


def _visit(account_id: int, held: SyncLease) -> dict[str, Any]:
    """Tell the provider what was changed here and read what is new; return what to write down."""
    account = Account.objects.get(pk=account_id)
    if is_read_by_changes(account.provider):
        return with_mail_changes(account, partial(_visit_changes, account, held))
    asked_at = timezone.now()
    with mail_store_of(account) as store, visiting(account, store, held) as visit:
        pushed = push_changes(visit)
        return _columns(asked_at, pushed, pull(visit), store.features)


def _visit_changes(account: Account, held: SyncLease, store: MailChangeStore) -> dict[str, Any]:
    """Do the same by change tokens."""
    asked_at = timezone.now()
    with store, visiting_changes(account, store, held) as visit:
        pushed = tell_changes(visit)
        return _columns(asked_at, pushed, pull_changes(visit), store.features)


def _columns(
    asked_at: datetime, pushed: PushOutcome, pulled: Pulled, features: frozenset[str]
) -> dict[str, Any]:
    pulled.refused += pushed.refused
    return {
        **pulled.columns(asked_at),
        "unfinished": pushed.unfinished or pulled.unfinished,
        "features": sorted(features),
    }
