"""Reading what is new at a provider by change tokens: noted first, and then read."""

from inbox.operations.accounts.identities import follow_identities
from inbox.syncing.by_changes.mailboxes import follow_mailboxes, remove_gone
from inbox.syncing.by_changes.noting import note_changes, settle_unlisted
from inbox.syncing.by_changes.own_drafts import take_up
from inbox.syncing.by_changes.reading import read_awaited
from inbox.syncing.outcomes import Pulled, begin_first_sync, end_first_sync
from inbox.syncing.visits import ChangesVisit

# Of a first listing, so much is read before the next page is asked for: the newest are soon there.
_FIRST = 200


def pull_changes(visit: ChangesVisit) -> Pulled:
    """Bring our rows to the state of the provider's mail, as far as the visit's time lasts.

    With nothing new that is two requests, and less where the store needs less. Raises StoreError,
    and LeaseLost.
    """
    mailboxes = follow_mailboxes(visit)
    pulled = Pulled(is_first=begin_first_sync(visit.account))
    shown = not pulled.is_first

    def after_page() -> None:
        nonlocal shown
        if not shown:
            shown = True
            read_awaited(visit, mailboxes, most=_FIRST)

    noting = note_changes(visit, mailboxes, after_page)
    if not noting.is_done:
        return pulled
    settle_unlisted(visit, mailboxes)
    take_up(visit)
    remove_gone(visit, mailboxes)
    if not read_awaited(visit, mailboxes):
        return pulled
    if pulled.is_first or noting.has_news:
        # With nothing new nothing more is asked.
        follow_identities(visit.account)
    if pulled.is_first:
        end_first_sync(visit.account)
    pulled.unfinished = False
    return pulled
