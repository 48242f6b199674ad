"""The short way of the API, over a real server."""

import http.client
import json
import socket

import pytest
from django.test import Client

from tests import factories
from tests.patience import LONG

# The threads that serve keep their connections, whichever test they were opened in.
pytestmark = pytest.mark.django_db


def ask(port, method, path, content=None, **headers):
    """Send a request and return its answer and the answer's body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    connection.request(method, path, content, headers={"Host": "localhost", **headers})
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_a_call_gets_the_same_headers_as_by_the_whole_middleware(port):
    answer, body = ask(port, "GET", "/api/schemas/neuralmail/types.json")
    whole = Client().get("/api/schemas/neuralmail/types.json", headers={"Host": "localhost"})
    assert answer.status == 200
    assert body == whole.content
    ours = {name.lower(): value for name, value in answer.getheaders()}
    for name in {name.lower() for name in whole.headers} - {"vary", "content-language"}:
        assert ours[name] == whole.headers[name]


def test_a_foreign_host_is_refused(port):
    for path in ("/api/schemas/neuralmail/types.json", "/api/nowhere", "/api/v1/drafts"):
        answer, body = ask(port, "GET", path, Host="evil.example")
        assert (answer.status, answer.headers["Content-Type"]) == (400, "application/json")
        assert json.loads(body)["details"]["header"] == "Host"


def test_a_foreign_host_is_refused_alike_behind_every_middleware():
    headers = {"Host": "evil.example"}
    assert Client().get("/api/v1/drafts", headers=headers).json()["code"] == "invalid_input"
    assert b"<html" in Client().get("/admin/", headers=headers).content.lower()


def test_a_call_without_a_token_is_refused(port):
    answer, body = ask(port, "POST", "/api/tools/list_threads")
    assert answer.status == 401
    assert json.loads(body)["code"] == "unauthenticated"


def test_head_has_no_body(port):
    answer, body = ask(port, "HEAD", "/api/schemas/neuralmail/types.json")
    assert (answer.status, body) == (200, b"")
    assert int(answer.headers["Content-Length"]) > 0


def test_an_address_that_is_no_utf8_is_refused(port):
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        connection.sendall(b"GET /api/v1/me?x=\xff HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 400")


def test_the_page_of_the_api_may_load_only_what_we_serve(port):
    answer, body = ask(port, "GET", "/api/docs")
    assert b"<!doctype html>" in body
    assert "script-src 'self'" in answer.headers["Content-Security-Policy"]


@pytest.mark.django_db(transaction=True)
def test_a_person_with_a_session_is_known_and_a_token_beside_it_decides(port, workspace):
    client = Client()
    client.force_login(factories.make_person_user(workspace))
    cookie = f"sessionid={client.cookies['sessionid'].value}"
    answer, body = ask(port, "GET", "/api/v1/approvals", Cookie=cookie)
    assert (answer.status, json.loads(body)["approvals"]) == (200, [])
    answer, _ = ask(port, "GET", "/api/v1/approvals", Cookie=cookie, Authorization="Bearer chy_x")
    assert answer.status == 401
