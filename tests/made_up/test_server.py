"""Bramble's server is strict: what is not described is refused, and nothing is done."""

import pytest

from tests.machines.api_server import serving
from tests.made_up.server import Bramble
from tests.made_up.stage import BrambleStage, ask


@pytest.fixture
def stage():
    with serving(Bramble()) as server:
        stage = BrambleStage(server)
        yield stage
        stage.close()


@pytest.mark.parametrize(
    ("method", "path", "body", "refusal"),
    [
        ("GET", "/v1/nothing", None, (404, "no_path")),
        ("GET", "/v1/lists?order=up", None, (400, "bad_query")),
        ("POST", "/v1/lists", {}, (405, "no_verb")),
        ("PUT", "/v1/lists/LIST/entries/one", {"text": "x"}, (405, "no_verb")),
        ("GET", "/v1/lists/elsewhere/entries", None, (404, "no_list")),
        ("POST", "/v1/lists/LIST/entries", {"text": "x", "colour": "red"}, (422, "no_field")),
        ("POST", "/v1/lists/LIST/entries", {"text": 7}, (422, "unfit")),
        ("POST", "/v1/lists/LIST/entries", {"text": "x", "by": "tomorrow"}, (422, "unfit")),
        ("POST", "/v1/lists/LIST/entries", {"memo": "x"}, (422, "missing")),
        ("PATCH", "/v1/lists/LIST/entries/gone", {"set": {}}, (404, "no_entry")),
        ("POST", "/v1/lists/LIST/lookup", {"ids": ["x"] * 51}, (422, "too_many")),
        ("GET", "/v1/lists/LIST/feed?cursor=x", None, (400, "bad_cursor")),
        ("GET", "/v1/lists/LIST/feed?cursor=x.0", None, (410, "cursor_expired")),
    ],
)  # fmt: skip
def test_what_is_not_described_is_refused(stage, method, path, body, refusal):
    assert ask(stage, method, path.replace("LIST", stage.list.id), body) == refusal
    assert stage.list.entries == {}


def test_a_change_over_a_stale_revision_is_refused(stage):
    stage.put("one", "Breakfast")
    stage.put("one", "Lunch")
    [entry] = stage.list.entries.values()
    path = f"/v1/lists/{stage.list.id}/entries/{entry.id}"
    assert ask(stage, "PATCH", path, {"rev": 1, "set": {"text": "Dinner"}}) == (409, "stale_rev")
    assert ask(stage, "DELETE", f"{path}?rev=1") == (409, "stale_rev")
    assert entry.fields["text"] == "Lunch"
    assert ask(stage, "PATCH", path, {"rev": 2, "set": {"text": "Dinner"}}) == (200, "")
    assert ask(stage, "DELETE", f"{path}?rev=3") == (204, "")


def test_a_key_opens_its_own_account_alone(stage):
    other = BrambleStage(stage.server)
    assert ask(other, "GET", f"/v1/lists/{stage.list.id}/entries") == (404, "no_list")
    stage.key = "other"
    assert ask(stage, "GET", "/v1/lists") == (401, "no_key")
    other.close()


def test_a_list_of_somebody_else_is_only_read(stage):
    stage.list.mine = False
    path = f"/v1/lists/{stage.list.id}/entries"
    assert ask(stage, "POST", path, {"text": "x"}) == (403, "not_yours")
    assert ask(stage, "GET", path) == (200, "")
