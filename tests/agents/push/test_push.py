"""Pushes arrive sealed at a real endpoint beside the test, which opens them as a browser does."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import jwt
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.utils import timezone

from agents.models import NoticeDelivery, NoticeSettings, PushSubscription
from agents.notices.bundling import make_bundles
from agents.notices.collecting import note_approval
from agents.push.encryption import from_text, point_of, read_point, seal, to_text
from agents.push.subscriptions import MOST, subscribe
from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.models import Job
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = pytest.mark.django_db
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def private(text: str) -> ec.EllipticCurvePrivateKey:
    return ec.derive_private_key(int.from_bytes(from_text(text), "big"), ec.SECP256R1())


def derive(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(hashes.SHA256(), length, salt, info).derive(secret)


class Browser:
    """A browser and its push service in one, on loopback."""

    def __init__(self):
        self.key, self.auth = ec.generate_private_key(ec.SECP256R1()), b"0123456789abcdef"
        self.status, self.got = 201, []
        browser = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                browser.got.append(({k.lower(): v for k, v in self.headers.items()}, body))
                self.send_response(browser.status)
                self.end_headers()

            def log_message(self, *args):
                """Keep quiet."""

        self.server = HTTPServer(("127.0.0.1", 0), Answer)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.url = f"{self.origin}/push/{'x' * 150}"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def point(self) -> bytes:
        return point_of(self.key.public_key())

    def keys(self) -> dict[str, str]:
        return {"endpoint": self.url, "key": to_text(self.point), "auth": to_text(self.auth)}

    def open(self, body: bytes) -> dict:
        """Read a push as RFC 8291 4 and RFC 8188 2 say."""
        salt, length = body[:16], body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        shared = self.key.exchange(ec.ECDH(), read_point(sender))
        secret = derive(shared, self.auth, b"WebPush: info\0" + self.point + sender, 32)
        key = derive(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
        nonce = derive(secret, salt, b"Content-Encoding: nonce\0", 12)
        text = AESGCM(key).decrypt(nonce, sealed, None).rstrip(b"\0")
        assert text.endswith(b"\x02")
        return json.loads(text[:-1])


@pytest.fixture
def browser(settings):
    settings.WEBHOOK_ALLOW = frozenset({"127.0.0.1"})
    made = Browser()
    yield made
    made.server.shutdown()
    made.server.server_close()


@pytest.fixture
def tell(inbox, actor):
    """Propose something, and have it told."""

    def tell():
        approval = propose(actor, factories.make_message(inbox).thread)
        note_approval({"approval_id": approval.pk})
        make_bundles()
        Job.objects.exclude(kind__startswith="notices.").delete()
        run_due()
        return approval

    return tell


def test_a_message_is_sealed_as_the_example_of_rfc_8291():
    sealed = seal(
        b"When I grow up, I want to be a watermelon",
        from_text(
            "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIA"
            "iw4"
        ),
        from_text("BTBZMqHH6r4Tts7J_aSIgg"),
        salt=from_text("DGv6ra1nlYgDCS1FRnbzlw"),
        own=private("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"),
    )
    assert to_text(sealed) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmY"
        "WAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexS"
        "gSxsj_Qulcy4a-fN"
    )


def test_a_proposal_is_pushed_without_a_word_of_it_by_a_sender_that_can_be_checked(
    browser, reviewer, tell
):
    subscribe(user=reviewer, **browser.keys(), user_agent=FIREFOX)
    approval = tell()
    ((headers, body),) = browser.got
    assert browser.open(body) == {
        "title": "1 proposal needs approval",
        "path": f"/admin/review/{approval.public_id}/",
    }
    assert headers["content-encoding"] == "aes128gcm"
    assert int(headers["ttl"]) > 0
    scheme, token, key = headers["authorization"].replace(",", "").split()
    assert scheme == "vapid"
    public = read_point(from_text(key.removeprefix("k=")))
    claims = jwt.decode(
        token.removeprefix("t="), public, algorithms=["ES256"], audience=browser.origin
    )
    assert claims["sub"].startswith("mailto:")
    assert NoticeDelivery.objects.get(way="push").state == "sent"


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_is_subscribed_no_more_is_forgotten(browser, reviewer, tell, status):
    subscribe(user=reviewer, **browser.keys(), user_agent=FIREFOX)
    browser.status = status
    tell()
    assert not PushSubscription.objects.exists()
    assert NoticeDelivery.objects.get(way="push").state == "failed"


def test_a_push_service_that_is_away_is_tried_again(browser, reviewer, tell):
    subscribe(user=reviewer, **browser.keys(), user_agent=FIREFOX)
    browser.status = 503
    tell()
    assert NoticeDelivery.objects.get(way="push").state == "pending"
    browser.status = 201
    Job.objects.update(run_at=timezone.now())
    run_due()
    assert NoticeDelivery.objects.get(way="push").state == "sent"
    assert len(browser.got) == 2


def test_hostile_subscriptions_are_refused_by_field(browser, reviewer, settings):
    good = {**browser.keys(), "user_agent": FIREFOX}
    settings.WEBHOOK_ALLOW = frozenset()
    cases = [
        ("endpoint", {"endpoint": browser.url}),
        ("endpoint", {"endpoint": "file:///etc/passwd"}),
        ("endpoint", {"endpoint": "https://push.example/" + "x" * 2000}),
        ("endpoint", {"endpoint": ""}),
        ("keys", {"key": "AAAA"}),
        ("keys", {"key": "!" * 87}),
        ("keys", {"key": to_text(b"\4" + b"\1" * 64)}),
        ("keys", {"auth": "AAAA"}),
    ]
    for field, change in cases:
        given = {**good, "endpoint": "https://push.example/1", **change}
        with pytest.raises(DomainError) as refused:
            subscribe(user=reviewer, **given)
        assert refused.value.field == field, change
    assert not PushSubscription.objects.exists()


def test_no_request_goes_to_a_private_address(browser, reviewer, tell, settings):
    subscribe(user=reviewer, **browser.keys(), user_agent=FIREFOX)
    inside = browser.url.replace("http://", "https://")
    PushSubscription.objects.update(endpoint=inside)
    settings.WEBHOOK_ALLOW = frozenset()
    tell()
    assert browser.got == []
    assert NoticeDelivery.objects.get(way="push").state == "failed"


def test_a_browser_tells_one_person_and_a_person_has_a_few(browser, reviewer, workspace):
    other = factories.make_person_user(workspace, name="otto")
    subscribe(user=other, **browser.keys(), user_agent=FIREFOX)
    subscribe(user=reviewer, **browser.keys(), user_agent=FIREFOX)
    assert PushSubscription.objects.get().user == reviewer
    for number in range(MOST + 2):
        given = {**browser.keys(), "endpoint": f"{browser.url}{number}"}
        subscribe(user=reviewer, **given, user_agent=FIREFOX)
    assert PushSubscription.objects.count() == MOST
    assert NoticeSettings.objects.filter(user=reviewer, kinds=["approval"]).exists()
