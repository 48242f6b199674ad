"""A broker that stops, or forgets everything, between the release and the sending."""

import time
from contextlib import suppress

import pytest
from kombu import Connection, Consumer, Queue
from kombu import Message as BrokerMessage

from inbox.background import jobs
from inbox.models import Job, Message, Submission
from tests.machines.brokers import OWN_BROKERS, OwnRedis, until
from tests.patience import LONG
from tests.sending_tools import propose, recover, release
from tests.servers import Peer, say

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture(params=OWN_BROKERS, scope="module")
def server(request, tmp_path_factory):
    """A Redis, or a RabbitMQ, of these tests' own, which may stop it."""
    server = OWN_BROKERS[request.param](tmp_path_factory.mktemp("broker"))
    yield server
    server.stop()


@pytest.fixture
def broker(server, tmp_path):
    """One that serves, with queues of the test's own, at which this process rings."""
    server.start()
    server.begin_anew(tmp_path)
    with server.ringing():
        yield server


@pytest.fixture
def release_some(actor, inbox, reviewer):
    def release_some(count: int, peer: Peer) -> None:
        for _ in range(count):
            release(propose(actor, inbox, peer.port), reviewer)

    return release_some


def slowly(talk) -> None:
    time.sleep(0.05)
    say("250 taken")(talk)


def are(*states: str) -> bool:
    return set(Submission.objects.values_list("state", flat=True)) <= set(states)


def everything_left_once(peer: Peer, count: int) -> None:
    assert are("sent")
    contents = [taken.content for taken in peer.whole]
    assert len(contents) == len(set(contents)) == count
    until(lambda: Message.objects.count() == count)


def test_one_that_stops_and_comes_back_loses_nothing(broker, release_some):
    with Peer(dot=slowly) as peer, broker.worker(), broker.worker():
        release_some(5, peer)
        until(lambda: peer.whole)
        broker.stop()
        release_some(5, peer)
        broker.start()
        # The first sweep of the beat finds what the broker was never told of.
        with broker.beat():
            until(lambda: are("sent"))
        everything_left_once(peer, 10)


def test_a_lost_redis_is_let_go_without_an_error_while_messages_are_held(tmp_path):
    broker = OwnRedis(tmp_path)
    broker.start()
    held: list[BrokerMessage] = []
    with Connection(broker.url, connect_timeout=5) as connection:
        channels = [connection.default_channel, connection.channel()]
        for channel, name in zip(channels, ("quick", "urgent"), strict=True):
            queue = Queue(name, routing_key=name)
            with connection.Producer() as producer:
                producer.publish({}, routing_key=name, declare=[queue])
            Consumer(channel, [queue], on_message=held.append).consume()
        while len(held) < 2:
            connection.drain_events(timeout=LONG)
        # Both ask for more when the server goes.
        with suppress(TimeoutError):
            connection.drain_events(timeout=0.2)
        broker.stop()
        # As Celery's worker does it.
        connection.collect(socket_timeout=5)
        connection.close()
        held[0].ack()
        held[1].reject()


def test_one_that_forgets_everything_loses_nothing(broker, release_some):
    with Peer() as peer:
        release_some(5, peer)
        # The bell rings from a thread of its own.
        time.sleep(1)
        broker.empty()
        # Two beats by mistake: what is periodic is done once all the same.
        with broker.worker(), broker.beat(), broker.beat():
            until(lambda: are("sent"))
        everything_left_once(peer, 5)


def test_one_that_delivers_every_job_ten_times_has_it_sent_once(broker, release_some):
    with Peer(dot=slowly) as peer:
        release_some(5, peer)
        broker.deliver_again(10)
        with broker.worker(), broker.worker():
            until(lambda: peer.whole)
            release_some(5, peer)
            broker.deliver_again(10)
            until(lambda: are("sent"))
        everything_left_once(peer, 10)


def test_a_worker_that_is_asked_to_end_ends_soon_and_another_goes_on(broker, release_some):
    with Peer(dot=slowly) as peer:
        with broker.worker() as process:
            release_some(30, peer)
            until(lambda: peer.whole)
            process.terminate()
            assert process.wait(40) == 0
        assert not Job.objects.filter(state="running").exists()
        with broker.worker():
            release_some(1, peer)
            until(lambda: are("sent"))
        recover()
        everything_left_once(peer, 31)


def test_a_worker_of_one_queue_leaves_the_others_alone(broker, release_some):
    queues = {pace: f"{broker.queues}.{pace}" for pace in ("urgent", "quick", "slow")}
    with Peer() as peer:
        with broker.worker("-Q", queues["quick"]), broker.worker("-Q", queues["slow"]):
            for slow in (False, True):
                jobs.enqueue("no such kind", {}, slow=slow, max_attempts=1)
            # Both are at work.
            until(lambda: Job.objects.filter(state="failed").count() == 2)
            release_some(1, peer)
            time.sleep(2)
            assert are("pending")
        with broker.worker("-Q", queues["urgent"]):
            until(lambda: are("sent"))
