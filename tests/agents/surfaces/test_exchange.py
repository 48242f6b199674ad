"""The exchange folder over HTTP."""

import http.client
import socket
from contextlib import suppress

import pytest

from agents.exchange import folders
from agents.models import Receipt
from agents.operations.agents import create_token
from tests import factories
from tests.patience import LONG

pytestmark = pytest.mark.django_db


@pytest.fixture
def put(api):
    def put(path, content=b"a,b\n", **headers):
        return api.client.put(
            f"/api/v1/exchange/{path}",
            content,
            content_type="text/csv",
            headers=api.headers(**headers),
        )

    return put


def test_a_file_goes_in_is_listed_and_comes_out_as_a_download(api, put):
    made = put("reports/M%C3%A4rz%202026.csv")
    assert (made.status_code, made["Location"]) == (
        201,
        "/api/v1/exchange/reports/M%C3%A4rz%202026.csv",
    )
    assert made.json()["path"] == "reports/März 2026.csv"
    listed = api.get("v1/exchange").json()
    assert (listed["count"], listed["files"][0]["size"]) == (1, 4)
    out = api.get("v1/exchange/reports/M%C3%A4rz%202026.csv")
    assert out.content == b"a,b\n"
    assert out["Content-Type"] == "application/octet-stream"
    assert out["Content-Disposition"].startswith("attachment")
    assert (out["X-Content-Type-Options"], out["Content-Security-Policy"][:7]) == (
        "nosniff",
        "sandbox",
    )


def test_nothing_is_overwritten(actor, put):
    assert put("a.txt", b"first").status_code == 201
    again = put("a.txt", b"second", If_None_Match="*")
    assert (again.status_code, again.json()["code"]) == (409, "conflict")
    assert folders.read_file(actor, "a.txt") == b"first"


def test_the_same_key_gives_the_same_answer_and_other_bytes_a_conflict(put):
    first, again = (put("a.txt", b"first", Idempotency_Key="k") for _ in range(2))
    assert (first.json(), again["Idempotency-Replayed"]) == (again.json(), "true")
    assert put("a.txt", b"other", Idempotency_Key="k").json()["code"] == "idempotency_conflict"


def test_a_file_is_removed_once(api, put):
    put("a.txt")
    for status in (200, 404):
        answer = api.client.delete("/api/v1/exchange/a.txt", headers=api.headers())
        assert answer.status_code == status
    assert api.get("v1/exchange").json()["files"] == []


def test_every_request_leaves_a_receipt(api, put):
    put("a.txt")
    put("a.txt")
    api.get("v1/exchange/a.txt")
    api.client.delete("/api/v1/exchange/a.txt", headers=api.headers())
    written = Receipt.objects.order_by("seq").values_list("tool", "outcome")
    assert list(written) == [
        ("put_exchange_file", "ok"), ("put_exchange_file", "error"),
        ("read_exchange_file", "ok"), ("remove_exchange_file", "ok"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "path",
    ["..%2fsecret.key", "a/%2e%2e/%2e%2e/b", "%2fetc/passwd", "a%00b", "a%5cb", "CON", "a%0db"],
)
def test_a_path_that_leads_elsewhere_is_refused(api, put, path):
    for answer in (put(path), api.get(f"v1/exchange/{path}")):
        assert answer.status_code == 400
        assert answer.json()["details"]["errors"][0]["pointer"] == "/path"


def test_each_method_needs_its_own_scope_and_no_token_reads_nothing(api, agent, put):
    put("a.txt")
    api.token = create_token(agent=agent, scopes={"storage:read"})[1]
    assert api.get("v1/exchange/a.txt").status_code == 200
    assert put("b.txt").status_code == 403
    assert api.client.delete("/api/v1/exchange/a.txt", headers=api.headers()).status_code == 403
    api.token = ""
    assert api.get("v1/exchange").status_code == 401


def test_another_agent_of_the_workspace_finds_nothing(api, put, workspace, inbox):
    put("a.txt")
    scout = factories.make_agent(workspace, "Scout", (inbox,))
    api.token = create_token(agent=scout, scopes={"storage:read"})[1]
    assert api.get("v1/exchange").json()["count"] == 0
    assert api.get("v1/exchange/a.txt").json() == api.get("v1/exchange/none").json()


@pytest.mark.parametrize(
    "header", [{"Content_Range": "bytes 0-3/9"}, {"If_Match": '"x"'}, {"If_None_Match": '"x"'}]
)
def test_a_condition_or_a_part_is_refused_rather_than_ignored(put, header):
    assert put("a.txt", **header).status_code == 400


def test_more_than_the_limit_is_refused_and_leaves_nothing(settings, actor, put):
    settings.EXCHANGE_FILE_BYTES = 10
    assert put("a.txt", b"x" * 11).status_code == 413
    assert put("b.txt", b"x" * 10).status_code == 201
    assert [file.path for file in folders.list_files(actor)] == ["b.txt"]


# -- over a real server ----------------------------------------------------------------------------
def upload(port, head, content):
    with socket.create_connection(("127.0.0.1", port), timeout=LONG) as connection:
        start = "PUT /api/v1/exchange/big.bin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        connection.sendall((start + head + "\r\n").encode())
        # It may have hung up by then, and its answer can be read still.
        with suppress(OSError):
            connection.sendall(content)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status


def test_a_file_larger_than_other_bodies_passes_the_limit_of_bodies(port):
    # Without a token it comes as far as the view, and no further.
    assert upload(port, f"Content-Length: {3 * 2**20}\r\n", b"x" * 3 * 2**20) == 401


def test_an_upload_over_the_limit_is_refused_announced_or_not(port, settings):
    settings.EXCHANGE_FILE_BYTES = 2**20
    assert upload(port, f"Content-Length: {2**20 + 1}\r\n", b"x" * (2**20 + 1)) == 413
    chunks = (b"10000\r\n" + b"x" * 0x10000 + b"\r\n") * 17 + b"0\r\n\r\n"
    assert upload(port, "Transfer-Encoding: chunked\r\n", chunks) == 413
