"""Signing in at a provider, as a person's browser does it on our pages and on the provider's."""

from html import unescape
from urllib.parse import quote, urlsplit

from tests.machines.authorization_server import CLIENT, SECRET
from tests.ports import CLOSED_PORT

BASE = "http://127.0.0.1:8000"
BEGIN = "/admin/inbox/account/sign-in/{}/"


def register(settings, server, base=BASE):
    """Have the server know where it may send browsers back to."""
    settings.BASE_URL = base
    names = ("openid", "google", "microsoft")
    server.redirects = {f"{base}{BEGIN.format(name)}back/" for name in names}


def set_up_openid(settings, server, base=BASE):
    """Have people sign in at a server, for mail servers that do not answer."""
    register(settings, server, base)
    settings.OPENID_ISSUER, settings.OPENID_NAME = server.issuer, "Lantern ID"
    settings.OPENID_CLIENT_ID, settings.OPENID_CLIENT_SECRET = CLIENT, SECRET
    settings.OPENID_MAIL_SCOPE = "https://mail.example/"
    settings.OPENID_IMAP = settings.OPENID_SMTP = f"127.0.0.1:{CLOSED_PORT} none"


def begin(client, provider="openid", onward="", **fields):
    """Press the button; return where the browser is sent."""
    query = f"?next={quote(onward)}" if onward else ""
    page = client.post(BEGIN.format(provider) + query, fields)
    assert page.status_code == 200, page.content.decode()
    where = page["Refresh"].removeprefix("0; url=")
    assert f'href="{where}"' in unescape(page.content.decode())
    return where


def come_back(client, address):
    parts = urlsplit(address)
    return client.get(f"{parts.path}?{parts.query}")
