"""A mirror of an account on a real server, and what of it must agree with what lies there."""

from collections import Counter
from contextlib import closing
from dataclasses import dataclass

from django.utils import timezone

from inbox.accounts import credentials
from inbox.models import Account, Inbox, Message
from inbox.models.remote import RemoteFolder, RemoteMessage, SyncState
from inbox.operations.accounts.connections import mail_store_of
from inbox.syncing.session import sync_account
from tests.dovecot import PASSWORD


def letter(subject: str, *, body: str = "Hello.", **headers: str) -> bytes:
    """Return a message from Ada to us."""
    name = "".join(it if it.isalnum() else "-" for it in subject)
    fields = {
        "From": "Ada <ada@customer.example>", "To": "office@lantern.example", "Subject": subject,
        "Date": "Mon, 02 Mar 2026 12:00:00 +0000", "Message-ID": f"<{name}@customer.example>",
    } | headers  # fmt: skip
    head = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in fields.items())
    return f"{head}\r\n{body}\r\n".encode()


def connect_account(inbox: Inbox, settings: dict[str, object]) -> Account:
    """Make the inbox's account one whose mail lies at a server."""
    account = inbox.account
    account.provider, account.settings = "imap_smtp", settings
    account.secret = credentials.encrypt(PASSWORD)
    account.save()
    SyncState.objects.create(workspace=account.workspace, account=account, next_at=timezone.now())
    return account


@dataclass
class Mirror:
    """Our side of an account."""

    account: Account

    @property
    def state(self) -> SyncState:
        return SyncState.objects.get(account=self.account)

    def sync(self, *, times: int = 1) -> bool:
        """Sync as if somebody asked, each time to the end."""
        for _ in range(times):
            SyncState.objects.filter(account=self.account).update(next_at=timezone.now())
            went_well = sync_account(self.account.pk)
        return went_well

    def look_closely(self) -> None:
        """Have the next sync compare all keywords where the server does not tell of changes."""
        RemoteFolder.objects.filter(account=self.account).update(compared_at=None)

    def messages(self, name: str) -> list[Message]:
        """Return the kept messages in a mailbox of ours, oldest UID first."""
        rows = Message.objects.kept().filter(mailboxes__name=name, inbox__account=self.account)
        return list(rows.order_by("pk"))

    def subjects(self, name: str) -> list[str]:
        return sorted(message.subject for message in self.messages(name))

    def assert_agrees(self) -> None:
        """Hold every place against the server: the same mailboxes, UIDs and keywords, no more."""
        ours, theirs = self.places(), self.there()
        assert sorted(ours) == sorted(theirs), (sorted(ours), sorted(theirs))
        for name in theirs:
            here, there = ours[name], theirs[name]
            only = here.keys() - there.keys(), there.keys() - here.keys()
            assert only == (set(), set()), f"{name}: only here {only[0]}, only there {only[1]}"
            differing = {uid: (here[uid], there[uid]) for uid in there if here[uid] != there[uid]}
            assert not differing, f"{name}: here and there {differing}"
        for message in Message.objects.filter(inbox__account=self.account):
            lying = {place.folder.mailbox_id for place in message.places.select_related("folder")}
            if message.deleted_at is None and lying:
                assert set(message.mailboxes.values_list("pk", flat=True)) == lying

    def places(self) -> dict[str, dict[int, frozenset[str]]]:
        rows = RemoteMessage.objects.filter(folder__account=self.account)
        found: dict[str, dict[int, frozenset[str]]] = {
            folder.name: {} for folder in RemoteFolder.objects.filter(account=self.account)
        }
        for place in rows.select_related("folder"):
            found[place.folder.name][place.uid] = frozenset(place.keywords)
        return found

    def there(self) -> dict[str, dict[int, frozenset[str]]]:
        found = {}
        with closing(mail_store_of(self.account)) as store:
            for folder in store.folders():
                if folder.selectable:
                    store.open(folder.name, read_only=True)
                    found[folder.name] = store.keywords()
        return found


def duplicates(account: Account) -> list[int]:
    """Return the blobs of which there is more than one message."""
    blobs = Counter(Message.objects.filter(inbox__account=account).values_list("blob", flat=True))
    return [blob for blob, number in blobs.items() if number > 1]
