"""Mail programs that change a mailbox at random, each in a thread of its own."""

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from tests.inbox.syncing.mirrors import letter

LASTING = ("INBOX", "Archive", "Sent", "Trash", "Junk")
PASSING = ("Lamps", "Oil & Wicks", "Lager/Büro")
FLAGS = (b"\\Seen", b"\\Flagged", b"\\Answered", b"\\Draft", b"\\Deleted", b"urgent", b"$Forwarded")
MOST_MESSAGES = 60


class RandomClient(threading.Thread):
    """Does what its chance says, a few acts a round; `log` has each of them."""

    def __init__(
        self,
        connect: Callable[[], IMAPClient],
        seed: int,
        rounds: int,
        place: Callable[[str], str] = str,
    ) -> None:
        super().__init__(daemon=True)
        self.log: list[str] = []
        self._passing = [place(name) for name in PASSING]
        self._usual = [*map(place, LASTING), *self._passing]
        self._connect, self._rounds = connect, rounds
        self._seed, self._chance = seed, random.Random(seed)
        self._sent = 0

    def run(self) -> None:
        left = self._rounds
        while left:
            # The server hangs up where somebody removes the mailbox that is open.
            with suppress(IMAPClientAbortError, OSError), self._connect() as client:
                while left:
                    left -= 1
                    self._act_some(client)

    def _act_some(self, client: IMAPClient) -> None:
        for _ in range(self._chance.randint(1, 4)):
            self._act(client)
        time.sleep(self._chance.random() / 20)

    def _act(self, client: IMAPClient) -> None:
        act = self._chance.choices(
            (self._append, self._mark, self._move, self._copy, self._remove, self._folders),
            (6, 8, 6, 1, 3, 1),
        )[0]
        try:
            act(client)
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            # What one of them looked at, the other may have taken away.
            self.log.append(f"refused: {error}")

    def _append(self, client: IMAPClient) -> None:
        self._sent += 1
        subject = f"{self._seed} {self._sent}"
        body = "A line of many.\r\n" * self._chance.choice((1, 10, 500))
        folder, flags = self._folder(client), self._flags()
        self.log.append(f"append {subject} to {folder} {flags}")
        client.append(folder, letter(subject, body=body), flags)

    def _mark(self, client: IMAPClient) -> None:
        folder, uids = self._some(client)
        change = self._chance.choice((client.add_flags, client.remove_flags))
        flags = self._flags() or FLAGS[:1]
        self.log.append(f"{change.__name__} {folder} {uids} {flags}")
        if uids:
            change(uids, flags, silent=True)

    def _move(self, client: IMAPClient) -> None:
        folder, uids = self._some(client)
        target = self._folder(client)
        self.log.append(f"move {folder} {uids} to {target}")
        if uids and target != folder:
            self._move_to(client, uids, target)

    def _copy(self, client: IMAPClient) -> None:
        folder, uids = self._some(client)
        target = self._folder(client)
        self.log.append(f"copy {folder} {uids} to {target}")
        if uids:
            client.copy(uids[:2], target)

    def _remove(self, client: IMAPClient) -> None:
        folder, uids = self._some(client)
        self.log.append(f"remove {folder} {uids}")
        if uids:
            self._expunge(client, uids)

    def _move_to(self, client: IMAPClient, uids: list[int], target: str) -> None:
        if client.has_capability("MOVE"):
            client.move(uids, target)
        else:
            client.copy(uids, target)
            self._expunge(client, uids)

    def _expunge(self, client: IMAPClient, uids: list[int]) -> None:
        client.add_flags(uids, [b"\\Deleted"], silent=True)
        client.expunge(uids if client.has_capability("UIDPLUS") else None)

    def _folders(self, client: IMAPClient) -> None:
        name = self._chance.choice(self._passing)
        act = self._chance.choice(("create", "create", "delete", "rename"))
        self.log.append(f"{act} {name}")
        if act == "create":
            client.create_folder(name)
        elif act == "delete":
            client.delete_folder(name)
        else:
            client.rename_folder(name, self._chance.choice(self._passing))

    def _folder(self, client: IMAPClient) -> str:
        names = sorted(name for _, _, name in client.list_folders())
        there = [name for name in names if name in self._usual]
        return self._chance.choice(there)

    def _some(self, client: IMAPClient) -> tuple[str, list[int]]:
        """Open a mailbox; return its name and some of the messages in it."""
        folder = self._folder(client)
        client.select_folder(folder)
        uids = client.search("ALL")
        if len(uids) > MOST_MESSAGES:
            self._expunge(client, uids[MOST_MESSAGES // 2 :])
            uids = uids[: MOST_MESSAGES // 2]
        return folder, self._chance.sample(uids, min(len(uids), self._chance.randint(1, 5)))

    def _flags(self) -> tuple[bytes, ...]:
        return tuple(self._chance.sample(FLAGS, self._chance.randint(0, 3)))
