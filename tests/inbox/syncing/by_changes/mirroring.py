"""Our side of an account that is followed by change tokens, held against the server's."""

from collections import defaultdict
from collections.abc import Callable, Mapping

from inbox.models import Message
from inbox.models.remote import RemoteFolder, RemoteMessage
from inbox.providers.mail_changes import MailState
from inbox.syncing.keywords import is_shared, shared
from tests.inbox.syncing.mirrors import Mirror


class ChangesMirror(Mirror):
    """The mirror, with what of it must agree."""

    def held(self) -> dict[str, MailState]:
        """Return what our rows say of each message there."""
        boxes, words = defaultdict(set), {}
        rows = RemoteMessage.objects.filter(folder__account=self.account)
        for place in rows.select_related("folder"):
            boxes[place.remote_id].add(place.folder.remote_id)
            words[place.remote_id] = frozenset(place.keywords)
        return {key: MailState(frozenset(boxes[key]), words[key]) for key in boxes}

    def assert_same(
        self,
        there: Mapping[str, MailState],
        names: Mapping[str, str],
        takes: Callable[[str], bool] = is_shared,
    ) -> None:
        """Hold our rows against the states and the mailboxes (names by id) that are there.

        `takes` says which keywords the server can be told of.
        """
        ours = self.held()
        assert ours.keys() == there.keys(), ours.keys() ^ there.keys()
        differing = {key: (ours[key], there[key]) for key in there if ours[key] != there[key]}
        assert not differing
        folders = RemoteFolder.objects.filter(account=self.account)
        assert dict(folders.values_list("remote_id", "name")) == names
        rows = RemoteMessage.objects.filter(folder__account=self.account)
        assert not rows.filter(unlisted=True).exists()
        assert not rows.filter(message=None).exists()
        for message in Message.objects.filter(inbox__account=self.account):
            places = list(message.places.select_related("folder"))
            lying = {place.folder.mailbox_id for place in places}
            if message.deleted_at is None and lying:
                # Beside them it may have labels that only we have.
                boxes = message.mailboxes.exclude(remote=None, role="")
                assert set(boxes.values_list("pk", flat=True)) == lying
            for place in places:
                here, known = set(filter(takes, message.keywords)), filter(takes, place.keywords)
                told = message.subject, message.keywords, message.deleted_at, place.keywords
                assert shared(here) == shared(known), told
