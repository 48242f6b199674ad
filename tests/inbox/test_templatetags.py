"""How the pages write what mail says."""

from datetime import UTC, datetime, timedelta

from django.utils import timezone

from inbox.templatetags import chancery
from tests.cases import in_one_test


@in_one_test(
    ("text", "written"),
    [
        ("Ada <b>", "<bdi>Ada &lt;b&gt;</bdi>"),
        (None, "<bdi></bdi>"),
        ("a\u202eb", '<bdi>a<span class="unseen">U+202E</span>b</bdi>'),
        ("a\u200bb", '<bdi>a<span class="unseen">U+200B</span>b</bdi>'),
        ("a\x00b", '<bdi>a<span class="unseen">U+0000</span>b</bdi>'),
        ("\u202e<i>", '<bdi><span class="unseen">U+202E</span>&lt;i&gt;</bdi>'),
        ("👩\u200d🔬", "<bdi>👩\u200d🔬</bdi>"),
        ("مرحبا", "<bdi>مرحبا</bdi>"),
    ],
)
def test_a_text_from_mail_is_isolated_escaped_and_shows_what_hides(text, written):
    assert chancery.mail(text) == written


def test_a_long_text_is_cut():
    assert chancery.mail("W" * 10_000, 5) == "<bdi>WWWWW…</bdi>"


def test_an_address_is_never_cut():
    email = f"{'a' * 400}@evil.example"
    assert email in chancery.address(email)


def test_safe_looking_text_from_mail_stays_text():
    class Sly(str):
        def __html__(self) -> str:
            return "<script>"

    assert "<script>" not in chancery.mail(Sly("<script>"))


@in_one_test(
    ("span", "words"),
    [
        (timedelta(seconds=20), "now"),
        (timedelta(minutes=5), "5 min ago"),
        (timedelta(hours=71, minutes=59), "71 h ago"),
        (timedelta(days=3), "3 d ago"),
        (timedelta(days=59), "59 d ago"),
        (timedelta(days=61), "2 mo ago"),
        (timedelta(days=800), "2 y ago"),
    ],
)
def test_a_span_is_told_in_a_unit_that_tells_enough(span, words):
    assert f">{words}<" in chancery.age(timezone.now() - span)


def test_a_time_says_its_zone_and_carries_itself():
    at = datetime(2026, 3, 2, 9, 5, tzinfo=UTC)
    assert (
        chancery.when(at)
        == '<time datetime="2026-03-02T09:05:00+00:00">2 Mar 2026, 09:05 UTC</time>'
    )
    assert chancery.when(None) == "—"


def test_what_is_over_is_over():
    assert ">expired<" in chancery.until(timezone.now() - timedelta(days=1))
