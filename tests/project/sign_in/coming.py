"""Signing in by real posts, with browsers that say what they are."""

from django.test import Client

LOGIN = "/admin/login/"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/140.0.0.0 Safari/537.36"
)
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like "
    "Gecko) Version/18.5 Mobile/15E148 Safari/604.1"
)


def come(agent: str = FIREFOX, client: Client | None = None, **more) -> Client:
    """Sign rhea in with a browser of her own."""
    client = client or Client(headers={"User-Agent": agent})
    answer = client.post(LOGIN, {"username": "rhea", "password": "sealing-wax"}, **more)
    assert answer.status_code == 302
    return client
