"""Oversized bodies over a real server, with and without an announced length."""

import http.client
import json
import socket

import pytest

from agents.surfaces import body_limit
from tests.patience import LONG

# The threads that serve keep their connections, whichever test they were opened in.
pytestmark = pytest.mark.django_db


def post(port, head, chunks=()):
    """Send a request by hand and return its status and body, as much as the server takes of it."""
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        start = "POST /api/tools/query_people HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        connection.sendall((start + head + "\r\n").encode())
        try:
            for chunk in chunks:
                connection.sendall(chunk)
        except OSError:
            pass  # it has hung up, and its answer can be read still
        answer = b""
        while b"\r\n\r\n" not in answer or not answer.endswith(b"}"):
            part = connection.recv(65536)
            if not part:
                break
            answer += part
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), json.loads(body)


def test_an_announced_body_over_the_limit_is_refused_unread(port):
    status, body = post(port, f"Content-Length: {10**12}\r\n")
    assert (status, body["code"]) == (413, "too_large")


def test_a_client_that_sends_all_before_it_reads_gets_the_answer(port):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    connection.request("POST", "/api/tools/query_people", b" " * (4 * 2**20))
    answer = connection.getresponse()
    assert (answer.status, json.loads(answer.read())["code"]) == (413, "too_large")


def test_a_body_in_chunks_is_refused_once_it_is_over_the_limit(port, monkeypatch):
    # Its end never comes.
    monkeypatch.setattr(body_limit, "_PATIENCE", 0.5)

    def chunks():
        for _ in range(40):
            yield b"10000\r\n" + b" " * 0x10000 + b"\r\n"

    status, body = post(port, "Transfer-Encoding: chunked\r\n", chunks())
    assert (status, body["code"]) == (413, "too_large")


def test_a_small_body_in_chunks_is_read(port):
    status, body = post(port, "Transfer-Encoding: chunked\r\n", [b"2\r\n{}\r\n0\r\n\r\n"])
    assert (status, body["code"]) == (401, "unauthenticated")
