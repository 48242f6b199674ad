"""A connection that waits in an event loop: what it takes, what it hears, and what it costs."""

import asyncio
import time
import tracemalloc
from contextlib import asynccontextmanager

import pytest

from inbox.accounts.credentials import Secret
from inbox.providers import watched_mailbox_for
from inbox.providers.base import Connection
from inbox.providers.imap.waiting import ImapMailbox
from inbox.providers.mail_store import FolderState, StoreError
from tests.crowded_imap import PASSWORD, CrowdedImap, crowded_imap
from tests.patience import LONG
from tests.servers import make_certificate


@pytest.fixture
def server():
    with crowded_imap() as made:
        yield made


@asynccontextmanager
async def waiting(server: CrowdedImap, **more):
    account = Connection("mira", server.settings("mira", **more), Secret(PASSWORD))
    mailbox = await ImapMailbox.connect(account, "INBOX")
    try:
        yield mailbox
    finally:
        await mailbox.close()


async def until(condition):
    def poll():
        end = time.monotonic() + LONG
        while not condition():
            assert time.monotonic() < end, "it did not happen in time"
            time.sleep(0.01)

    await asyncio.to_thread(poll)


def test_news_before_and_while_it_waits_are_heard(server):
    async def go():
        async with waiting(server) as mailbox:
            assert await mailbox.look() == FolderState(7, 4, 3, 10)
            assert not await mailbox.wait(0.1)
            await asyncio.to_thread(server.deliver, "mira")
            assert await mailbox.wait(LONG)
            assert await mailbox.look() == FolderState(7, 5, 4, 11)
            waits = asyncio.create_task(mailbox.wait(LONG))
            await until(lambda: server.number_idling)
            await asyncio.to_thread(server.deliver, "mira")
            assert await waits

    asyncio.run(go())
    assert server.verbs["LOGOUT"] == 1


@pytest.mark.parametrize("fault", ["flood", "endless", "literal", "drip", "bye", "hang"])
def test_whatever_is_said_while_it_waits_ends_in_little_memory_and_time(server, fault):
    async def go():
        async with waiting(server, imap_timeout=0.5) as mailbox:
            await mailbox.look()
            server.faults = {("mira", "IDLE"): fault}
            tracemalloc.start()
            try:
                with pytest.raises(StoreError) as error:
                    await mailbox.wait(LONG)
                assert error.value.kind == "transient"
                mine = [tracemalloc.Filter(True, "*/inbox/providers/imap/*")]
                sizes = tracemalloc.take_snapshot().filter_traces(mine).statistics("filename")
                assert sum(one.size for one in sizes) < 300_000
            finally:
                tracemalloc.stop()

    asyncio.run(asyncio.wait_for(go(), LONG / 4))


def test_cancelled_it_lets_go_at_once(server):
    async def go():
        async with waiting(server) as mailbox:
            await mailbox.look()
            waits = asyncio.create_task(mailbox.wait(LONG))
            await until(lambda: server.number_idling)
            waits.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waits
        await until(lambda: not server.talks)

    asyncio.run(go())


def test_nobody_listens(server):
    settings = server.settings("mira", imap_port=1)
    with pytest.raises(StoreError) as error:
        asyncio.run(ImapMailbox.connect(Connection("mira", settings, Secret(PASSWORD)), "INBOX"))
    assert error.value.kind == "transient"


def test_a_name_that_leads_nowhere(server):
    settings = server.settings("mira", imap_host="imap.example.invalid")
    with pytest.raises(StoreError) as error:
        asyncio.run(ImapMailbox.connect(Connection("mira", settings, Secret(PASSWORD)), "INBOX"))
    assert error.value.kind == "transient"


def test_a_certificate_for_another_name_is_refused(tmp_path):
    certificate = make_certificate(tmp_path / "certificate.pem", "imap.example.org")
    with crowded_imap(certificate) as server:
        account = Connection("mira", server.settings("mira"), Secret(PASSWORD))
        with pytest.raises(StoreError, match="cannot be trusted") as error:
            asyncio.run(ImapMailbox.connect(account, "INBOX"))
        assert error.value.kind == "permanent"
        assert not server.logins


def test_mail_that_lies_nowhere_else_is_watched_nowhere():
    with pytest.raises(StoreError) as error:
        asyncio.run(watched_mailbox_for("local", Connection("mira", {}, Secret("")), "INBOX"))
    assert error.value.kind == "permanent"


@pytest.mark.parametrize("said", [b"* BYE enough\r\n", b"TAG NO idle yourself\r\n", b"what\r\n"])
def test_waiting_that_fails(says, speaker, said):
    says(said)
    account = Connection("mira", speaker.settings(), Secret(PASSWORD))

    async def go():
        mailbox = await ImapMailbox.connect(account, "INBOX")
        with pytest.raises(StoreError):
            await mailbox.wait(LONG)

    asyncio.run(go())


@pytest.mark.services
@pytest.mark.parametrize("security", ["tls", "starttls", "none"])
def test_dovecot_tells_of_what_comes_and_changes(dovecot, user, security):
    account = Connection(user, dovecot.settings(user, security), Secret(PASSWORD))

    async def go(there):
        mailbox = await ImapMailbox.connect(account, "INBOX")
        before = await mailbox.look()
        assert not await mailbox.wait(0.3)
        waits = asyncio.create_task(mailbox.wait(LONG))
        await asyncio.to_thread(there.append, "INBOX", b"Subject: Lamp oil\r\n\r\nTwo.\r\n")
        assert await waits
        after = await mailbox.look()
        assert (after.messages, after.uidnext) == (before.messages + 1, before.uidnext + 1)
        assert after.highest_modseq > before.highest_modseq
        there.select_folder("INBOX")
        waits = asyncio.create_task(mailbox.wait(LONG))
        await asyncio.to_thread(there.add_flags, [before.uidnext], ["\\Flagged"])
        assert await waits
        assert (await mailbox.look()).highest_modseq > after.highest_modseq
        await mailbox.close()

    with dovecot.client(user) as there:
        asyncio.run(go(there))
