"""A test's tables are emptied once the server has answered all that was asked of it."""

import threading

from tests.under_way import UnderWay


def test_the_wait_ends_with_the_last_answer_and_not_before():
    asked, may_answer, ended = threading.Event(), threading.Event(), threading.Event()

    def slow(environ, start_response):
        asked.set()
        assert may_answer.wait(10)
        return [b"late"]

    server = UnderWay(slow)
    answers = []
    threading.Thread(target=lambda: answers.append(server({}, None))).start()
    assert asked.wait(10)
    waiting = threading.Thread(target=lambda: (server.wait(), ended.set()))
    waiting.start()
    assert not ended.wait(0.05)
    may_answer.set()
    waiting.join(10)
    assert ended.is_set()
    assert answers == [[b"late"]]


def test_what_fails_is_no_longer_under_way():
    def broken(environ, start_response):
        raise ZeroDivisionError

    server = UnderWay(broken)
    caught = threading.Thread(target=lambda: _swallow(server))
    caught.start()
    caught.join()
    server.wait()


def _swallow(server):
    try:
        server({}, None)
    except ZeroDivisionError:
        return
