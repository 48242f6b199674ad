"""What stand-ins share does what it says: tokens, quotas, and faults on order."""

from collections.abc import Iterator

import httpx
import pytest

from tests.machines.api_server import ApiServer, Call, Reply, serving
from tests.trust import trust


class Counter(ApiServer):
    """Counts, for whoever has a token."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def answer(self, call: Call) -> Reply:
        token = self.token_of(call)
        if token is None:
            return self.error(401, "token", "no token")
        if self.must_wait(token.account):
            return Reply(429, None, {"Retry-After": self.retry_after})
        self.count += 1
        return Reply(body={"count": self.count, "who": token.account, "asked": call.parts()})

    def error(self, status: int, code: str, words: str) -> Reply:
        return Reply(status, {"error": code})


@pytest.fixture
def counter() -> Iterator[Counter]:
    with serving(Counter(), "/v1") as server:
        yield server


def ask(server: Counter, token: str, path: str = "/one%2Ftwo/three") -> httpx.Response:
    return httpx.get(
        f"{server.url}{path}",
        headers={"Authorization": f"Bearer {token}"},
        trust_env=False,
        verify=trust(),
    )


def test_a_token_opens_its_account_until_it_expires(counter: Counter):
    answer = ask(counter, counter.issue("mira@lantern.example"))
    assert answer.json()["who"] == "mira@lantern.example"
    assert answer.json()["asked"] == ["v1", "one/two", "three"]
    assert ask(counter, counter.issue("mira@lantern.example", lasts=-1)).status_code == 401
    assert ask(counter, "other").status_code == 401


def test_whoever_asks_too_often_waits(counter: Counter):
    counter.allowance, counter.retry_after = 2, "30"
    tokens = [counter.issue("mira@lantern.example") for _number in range(2)]
    assert [ask(counter, token).status_code for token in tokens * 2] == [200, 200, 429, 429]
    assert ask(counter, counter.issue("otto@lantern.example")).status_code == 200


@pytest.mark.parametrize(("kind", "counted"), [("drop", 1), ("lose", 2), ("half", 2)])
def test_a_connection_ends_before_or_after_the_call_is_done(counter: Counter, kind, counted):
    token = counter.issue("mira@lantern.example")
    counter.order(kind, "^GET /v1/one", after=1)
    assert ask(counter, token).status_code == 200
    with pytest.raises(httpx.HTTPError):
        ask(counter, token)
    assert counter.count == counted
    assert ask(counter, token).status_code == 200


def test_a_refusal_comes_on_order_and_does_nothing(counter: Counter):
    counter.order(503, retry_after="7", times=2)
    token = counter.issue("mira@lantern.example")
    answers = [ask(counter, token) for _number in range(3)]
    assert [(one.status_code, one.headers.get("retry-after")) for one in answers] == [
        (503, "7"), (503, "7"), (200, None),
    ]  # fmt: skip
    assert counter.count == 1
