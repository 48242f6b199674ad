"""Nonsense at each address: it is refused, and never an error of ours."""

import threading

import pytest
from django.core.cache import cache

from agents.models import Connection, Token
from tests.cases import in_one_test
from tests.project.oauth.browsing import answer_in

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def nobody_came_before(transactional_db):
    cache.clear()


QUERIES = (
    "", "client_id", "client_id=%zz", "client_id=%00", "client_id=" + "x" * 5000, "client_id=%F0%9F%92%A9",
    "client_id=a&client_id=b", "client_id=https://x.example/%00", "client_id=https://[::1",
    "client_id=https://x.example:99999/c", "%00=%00", "client_id=%ED%A0%80", "a=b;c=d",
    "client_id={id}&redirect_uri=%00", "client_id={id}&redirect_uri=http://[::1",
    "client_id={id}&redirect_uri=http://127.0.0.1:x/callback",
    "client_id={id}&redirect_uri=http%3A%2F%2F127.0.0.1%3A33418%2Fcallback&response_type=code"
    "&code_challenge=%00&code_challenge_method=S256",
    "client_id={id}&redirect_uri=http%3A%2F%2F127.0.0.1%3A33418%2Fcallback&response_type=code"
    "&code_challenge=x&code_challenge_method=S256&resource=http://[::1&state=%00",
    "client_id={id}&redirect_uri=http%3A%2F%2F127.0.0.1%3A33418%2Fcallback&response_type=code"
    "&code_challenge=" + "x" * 200 + "&code_challenge_method=S256",
)  # fmt: skip


@in_one_test("query", QUERIES)
def test_a_request_that_is_none_is_refused_on_the_page(person, client_of_mcp, query):
    cache.clear()
    person.open("/admin/")
    answer = person.browser.get("/admin/connect/?" + query.replace("{id}", client_of_mcp.id))
    assert answer.status_code == 400, (query, answer.status_code)


@in_one_test(
    "body",
    [
        b"", b"%zz", b"grant_type=authorization_code", b"grant_type=refresh_token", b"\xff\xfe",
        b"grant_type=authorization_code&code=%00&client_id={id}&redirect_uri=x",
        b"grant_type=authorization_code&code=x&client_id=%00",
        b"grant_type=refresh_token&refresh_token=%00&client_id={id}",
        b"grant_type=refresh_token&refresh_token=x&client_id={id}&scope=%00",
        b"grant_type=authorization_code&code=%ED%A0%80&client_id={id}",
        b"grant_type=authorization_code&grant_type=refresh_token&client_id={id}",
        b"grant_type=authorization_code&code=x&client_id={id}&client_secret=wrong",
        b"grant_type=refresh_token&refresh_token=" + b"x" * 10_000 + b"&client_id={id}",
        b"token=%00&client_id={id}", b"token=x", b"client_id={id}",
    ],
)  # fmt: skip
def test_what_is_no_form_of_a_client_gives_nothing(client_of_mcp, body):
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    given = body.replace(b"{id}", client_of_mcp.id.encode())
    for path in ("/oauth/token", "/oauth/token?%zz", "/oauth/revoke", "/oauth/revoke?a=%zz"):
        answer = client_of_mcp.web.post(path, content=given, headers=headers)
        wanted = {400, 401} if "token" in path else {200, 400, 401}
        assert answer.status_code in wanted, (path, body, answer.status_code)


def test_a_wrong_secret_or_scheme_lets_nobody_in(client_of_mcp):
    for header in ("Basic eDp5", "Basic %%%", "Bearer x", "Basic"):
        answer = client_of_mcp.web.post(
            "/oauth/token", headers={"Authorization": header},
            data={"grant_type": "authorization_code", "code": "x", "client_id": client_of_mcp.id},
        )  # fmt: skip
        assert answer.status_code in {400, 401}, header


# -- two at once ---------------------------------------------------------------------------------------
def at_once(work, times=4):
    """Return the answers to the same request, sent at the same moment."""
    gate, answers = threading.Barrier(times), []

    def run():
        gate.wait()
        answers.append(work())

    threads = [threading.Thread(target=run) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answer.status_code for answer in answers]


def test_of_a_code_that_comes_several_times_at_once_there_is_one_token(person, client_of_mcp):
    code = answer_in(person.decide(client_of_mcp.address()).headers["location"])["code"]
    found = at_once(lambda: client_of_mcp.exchange(code))
    assert sorted(found) == [200, 400, 400, 400]
    assert (Token.objects.count(), Connection.objects.count()) == (1, 1)


def test_of_a_text_that_renews_several_times_at_once_one_counts(let_in, client_of_mcp):
    told = let_in()
    found = at_once(lambda: client_of_mcp.renew(told["refresh_token"]))
    assert sorted(found) == [200, 400, 400, 400]
    assert Token.objects.count() == 1
