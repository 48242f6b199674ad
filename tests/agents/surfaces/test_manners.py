"""How the API behaves at its edges: methods, media types, addresses that lead nowhere."""

import pytest

from agents.resources import COLLECTIONS
from tests.agents.surfaces.test_rest import error

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("path", "allowed"),
    [("v1/threads", "GET, HEAD"), ("v1/drafts", "GET, POST, HEAD"), ("v1/drafts/x", "GET, PATCH, DELETE, HEAD"),
     ("v1/attachments/x/content", "GET, HEAD"), ("v1/me", "GET, HEAD"), ("tools/get_thread", "POST")],
)  # fmt: skip
@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "TRACE"])
def test_another_method_is_refused_and_those_that_there_are_are_named(
    client, api, path, allowed, method
):
    answer = client.generic(method, f"/api/{path}", headers=api.headers())
    error(answer, 405, "method_not_allowed")
    assert answer["Allow"] == allowed


@pytest.mark.parametrize("noun", sorted(COLLECTIONS))
def test_head_is_get_without_its_body(client, api, noun):
    path = f"/api/v1/{noun}"
    whole = client.get(path, headers=api.headers())
    head = client.head(path, headers=api.headers())
    assert (head.status_code, head.content) == (200, b"")
    assert head["ETag"] == whole["ETag"] or noun == "receipts"


@pytest.mark.parametrize("accept", ["text/html", "application/xml, text/*", "application/json;q=0"])
def test_who_takes_no_json_is_told_so(api, accept):
    for path in ("v1/threads", "v1/me", "nowhere"):
        error(api.get(path, Accept=accept), 406, "not_acceptable")


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "*/*",
        "application/*",
        "text/html, application/json;q=0.1",
        "application/json; charset=utf-8",
    ],
)
def test_who_takes_json_gets_it(api, accept):
    assert api.get("v1/threads", Accept=accept).status_code == 200


@pytest.mark.parametrize(
    "content_type",
    [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin-1",
    ],
)
def test_a_body_that_is_no_json_is_refused(client, api, content_type):
    answer = client.generic(
        "POST", "/api/v1/drafts", "{}", content_type=content_type, headers=api.headers()
    )
    error(answer, 415, "unsupported_media_type")


@pytest.mark.parametrize(
    "path",
    [
        "",
        "nowhere",
        "v1",
        "v1/",
        "v1/threads/",
        "v1/threads/x/y",
        "v2/threads",
        "v1/attachments/x/y/content",
        "tools/",
        "v1/../v1/threads/x/y/z",
    ],
)
def test_an_address_that_leads_nowhere_says_so(api, path):
    error(api.get(path), 404, "not_found")


def test_an_address_that_leads_nowhere_needs_a_token_all_the_same(client):
    error(client.get("/api/v1/nowhere"), 401, "unauthenticated")


@pytest.mark.parametrize(
    "query",
    ["a=%ff", "&".join(f"a{n}=1" for n in range(60)), "%00=1", "limit=%00", "search=%ED%A0%80"],
)
def test_a_query_that_cannot_be_read_is_refused(api, query):
    error(api.get(f"v1/threads?{query}"), 400, "invalid_input")


def test_the_format_is_not_chosen_by_the_query(api):
    error(api.get("v1/threads?format=xml"), 400, "invalid_input")


@pytest.mark.parametrize("path", ["openapi.json", "docs"])
def test_what_is_only_read_says_so_in_the_house_shape(client, path):
    answer = client.post(f"/api/{path}")
    error(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, HEAD"
