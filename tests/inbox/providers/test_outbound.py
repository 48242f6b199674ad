"""Calls to addresses that somebody typed: where they may lead, and how long they may take."""

import contextlib
import ipaddress
import socket
import threading
import time

import pytest

from inbox.providers.http import outbound
from inbox.providers.http.outbound import NotAllowed, NotReached, check_url, is_public, post
from tests.cases import in_one_test
from tests.patience import LONG


@in_one_test(
    "text",
    [
        "127.0.0.1", "127.8.9.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1",
        "240.0.0.1", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
        "fe80::1", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2002:7f00:1::", "2002:a00:1::",
        "64:ff9b::7f00:1", "64:ff9b:1::1", "2001:0:7f00:1::", "2001:db8::1", "::7f00:1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_of_the_public_internet_is_known(text):
    assert not is_public(ipaddress.ip_address(text))


@in_one_test("text", ["1.1.1.1", "93.184.216.34", "2606:4700::1111", "::ffff:1.1.1.1"])
def test_a_public_address_is_known(text):
    assert is_public(ipaddress.ip_address(text))


@in_one_test(
    "url",
    [
        "", "hooks.example.com", "http://hooks.example.com/", "ftp://hooks.example.com/",
        "https://", "https:///x", "https://user@hooks.example.com/", "https://hooks.example.com:0/",
        "https://hooks.example.com:99999/", "https://hooks.example.com/#x", "https://a b/",
        "https://hooks.example.com/\r\nX: y", "https://hooks.example.com\\@evil.example/",
        "https://[::1", "https://ünï.example/", "https://hooks.example.com/" + "x" * 1000,
    ],
)  # fmt: skip
def test_what_is_no_plain_https_address_is_refused(url):
    with pytest.raises(NotAllowed):
        check_url(url, ())


def test_http_will_do_where_the_host_is_trusted():
    check_url("https://hooks.example.com:8443/x?y=z", ())
    check_url("http://hooks.internal:8080/x", {"hooks.internal"})


def send(url, allowed=(), seconds=2.0):
    return post(url, body=b"{}", headers={"x-test": "1"}, allowed=allowed, seconds=seconds)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "[::1]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "169.254.169.254", "10.0.0.1", "0",
    ],
)  # fmt: skip
def test_no_spelling_of_a_private_address_is_called(host, server):
    address, seen = server(b"HTTP/1.1 200 OK\r\n\r\n")
    port = address.rpartition(":")[2]
    with pytest.raises((NotAllowed, NotReached)) as caught:
        send(f"https://{host}:{port}/")
    assert "public" in str(caught.value) or "no address" in str(caught.value)
    assert seen == []


def test_a_name_that_leads_to_private_addresses_is_not_called(monkeypatch):
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443))
        for address in ("1.1.1.1", "10.0.0.1")
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(NotAllowed):
        send("https://rebinding.example/")


def test_a_name_is_looked_up_once_and_what_was_judged_is_called(server, monkeypatch):
    """A second look-up, as by a name that changes its mind, would lead elsewhere."""
    address, _ = server(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
    port = int(address.rpartition(":")[2])
    asked = []
    real = socket.getaddrinfo

    def look_up(host, *args, **kwargs):
        if host != "hooks.internal":
            return real(host, *args, **kwargs)
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert send(f"http://hooks.internal:{port}/", {"hooks.internal"}).text == "ok"
    assert asked == ["hooks.internal"]


# -- a server that answers as the test says ----------------------------------------------------------


@pytest.fixture
def server():
    """Start a server on loopback that sends these bytes, one part after the other."""
    listening = []

    def start(*parts, pause=0.0):
        sock = socket.create_server(("127.0.0.1", 0))
        listening.append(sock)
        seen = []
        threading.Thread(target=answer, args=(sock, parts, pause, seen), daemon=True).start()
        return f"http://127.0.0.1:{sock.getsockname()[1]}", seen

    yield start
    for sock in listening:
        sock.close()


def answer(sock, parts, pause, seen):
    with contextlib.suppress(OSError):
        while True:
            connection, _ = sock.accept()
            with connection:
                seen.append(read_request(connection))
                for part in parts:
                    connection.sendall(part)
                    time.sleep(pause)


def read_request(connection) -> bytes:
    """Read to the end of the body: closing what was not read resets the connection."""
    read = b""
    while not read.endswith(b"{}") and (part := connection.recv(65536)):
        read += part
    return read


def test_the_body_and_the_headers_arrive(server):
    url, seen = server(b"HTTP/1.1 204 No Content\r\nRetry-After: 30\r\n\r\n")
    answered = send(url, {"127.0.0.1"})
    assert (answered.status, answered.retry_after) == (204, "30")
    assert seen[0].startswith(b"POST / HTTP/1.1\r\n")
    assert b"x-test: 1\r\n" in seen[0]


def test_a_redirect_is_an_answer_and_not_followed(server):
    url, seen = server(b"HTTP/1.1 302 Found\r\nLocation: http://169.254.169.254/\r\n\r\n")
    assert send(url, {"127.0.0.1"}).status == 302
    assert len(seen) == 1


def test_no_more_of_an_answer_is_kept_than_the_bound(server):
    url, _ = server(b"HTTP/1.1 500 Oops\r\n\r\n" + b"\0\xff" * 10_000_000)
    answered = send(url, {"127.0.0.1"})
    assert len(answered.text) <= outbound.LONGEST_ANSWER
    assert "\0" not in answered.text


@pytest.mark.parametrize("head", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_body_or_a_head_that_trickles_is_given_up_in_time(server, head):
    url, _ = server(head or b"H", *[b"x"] * 10_000, pause=0.1)
    started = time.monotonic()
    with pytest.raises(NotReached, match="within"):
        send(url, {"127.0.0.1"}, seconds=0.7)
    assert time.monotonic() - started < LONG


@pytest.mark.parametrize("text", [b"", b"what?\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"\x16\x03\x01"])
def test_what_is_no_answer_is_none(server, text):
    url, _ = server(text)
    with pytest.raises(NotReached):
        send(url, {"127.0.0.1"})


def test_where_nobody_listens_there_is_no_answer():
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    with pytest.raises(NotReached):
        send(f"http://127.0.0.1:{port}/", {"127.0.0.1"})


def test_the_proxies_of_the_environment_are_not_used(server, monkeypatch):
    url, _ = server(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert send(url, {"127.0.0.1"}).status == 200
