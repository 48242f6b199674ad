"""How often a token may call, over REST and MCP alike."""

import http.client
import json

import pytest

from agents.dispatching import rate_limit
from agents.dispatching.rate_limit import BUCKETS, Buckets
from agents.errors import ToolError
from agents.models import Receipt, Token
from agents.operations.agents import authenticate, create_token
from tests.patience import LONG

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty():
    BUCKETS.forget()
    yield
    BUCKETS.forget()


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    now = [1000.0]
    monkeypatch.setattr(rate_limit.time, "monotonic", lambda: now[0])
    return now


@pytest.fixture
def token(agent, settings):
    """The text of a token; it may make 60 calls a minute, 10 of them at once."""
    settings.CALLS_PER_MINUTE = 60
    return create_token(agent=agent, scopes={"inbox:read", "control_plane:read"})[1]


def used_up(token):
    for _ in range(10):
        authenticate(token)
    with pytest.raises(ToolError) as caught:
        authenticate(token)
    return caught.value


def test_a_token_that_calls_too_often_is_told_when_to_come_back(token, clock):
    error = used_up(token)
    assert (error.code, error.status, error.details) == ("rate_limited", 429, {"retry_after": 1})


def test_the_bucket_fills_again_by_the_clock(token, clock):
    used_up(token)
    clock[0] += 3
    for _ in range(3):
        authenticate(token)
    with pytest.raises(ToolError):
        authenticate(token)


def test_it_fills_no_further_than_to_its_brim(token, clock):
    authenticate(token)
    clock[0] += 10_000
    used_up(token)


def test_a_slow_limit_says_how_long_to_wait(token, clock, settings):
    settings.CALLS_PER_MINUTE = 2
    authenticate(token)
    with pytest.raises(ToolError) as caught:
        authenticate(token)
    assert caught.value.details == {"retry_after": 30}


def test_one_token_does_not_spend_anothers_calls(token, clock, agent):
    other = create_token(agent=agent, scopes=set())[1]
    used_up(token)
    assert authenticate(other).id == agent.pk


def test_who_is_over_the_limit_costs_no_query(token, clock, django_assert_num_queries):
    used_up(token)
    with django_assert_num_queries(0), pytest.raises(ToolError):
        authenticate(token)


def test_what_is_no_token_takes_no_room(token, clock):
    for number in range(50):
        with pytest.raises(ToolError):
            authenticate(f"chy_{number}")
    assert not BUCKETS._left
    Token.objects.update(revoked_at="2026-01-01T00:00:00Z")
    with pytest.raises(ToolError):
        authenticate(token)
    assert not BUCKETS._left


def test_no_more_buckets_are_kept_than_the_bound(token, clock, agent, monkeypatch):
    monkeypatch.setattr(rate_limit, "_MOST_BUCKETS", 3)
    for _ in range(6):
        authenticate(create_token(agent=agent, scopes=set())[1])
    assert len(BUCKETS._left) == 3


def test_processes_that_share_their_buckets_count_a_tokens_calls_together(
    clock, settings, tmp_path
):
    settings.CALLS_PER_MINUTE = 60
    token = "a1" * 32
    both = [Buckets(), Buckets()]
    for buckets in both:
        buckets.share(tmp_path / "buckets")
    both[0].open(token)
    for number in range(9):
        both[number % 2].spend(token)
    for buckets in both:
        with pytest.raises(ToolError):
            buckets.spend(token)
    # Of what is no token nothing is known.
    both[0].spend("c3" * 32)
    clock[0] += 1
    both[1].spend(token)
    with pytest.raises(ToolError):
        both[0].spend(token)


def test_of_tokens_at_one_place_the_one_goes_that_was_not_used_for_longest(
    clock, settings, tmp_path
):
    settings.CALLS_PER_MINUTE = 6
    buckets = Buckets()
    buckets.share(tmp_path / "buckets")
    alike = [f"{'ab' * 8}{number:02x}{'00' * 23}" for number in range(9)]
    for digest in alike[:8]:
        clock[0] += 0.001
        buckets.open(digest)
    # A sixth of six is one call, which opening was.
    for digest in alike[:8]:
        with pytest.raises(ToolError):
            buckets.spend(digest)
    clock[0] += 0.001
    with pytest.raises(ToolError):
        buckets.spend(alike[0])
    buckets.open(alike[8])
    # The second gave way, and is not known any more.
    buckets.spend(alike[1])
    for digest in (alike[0], *alike[2:]):
        with pytest.raises(ToolError):
            buckets.spend(digest)


def test_nought_is_no_limit(token, clock, settings):
    settings.CALLS_PER_MINUTE = 0
    for _ in range(100):
        authenticate(token)


def test_rest_answers_429_before_anything_is_done(client, token, clock):
    headers = {"Authorization": f"Bearer {token}"}
    used_up(token)
    before = Receipt.objects.count()
    answer = client.post(
        "/api/tools/list_approvals", "{}", content_type="application/json", headers=headers
    )
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == "1"
    assert answer.json()["code"] == "rate_limited"
    assert Receipt.objects.count() == before


def test_mcp_answers_429_too(port, token, settings):
    settings.CALLS_PER_MINUTE = 1
    authenticate(token)
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
    headers = {
        "Host": "localhost", "Authorization": f"Bearer {token}",
        "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
    }  # fmt: skip
    connection.request("POST", "/mcp", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', headers)
    answer = connection.getresponse()
    assert answer.status == 429
    assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert json.loads(answer.read())["error"]["data"]["code"] == "rate_limited"
