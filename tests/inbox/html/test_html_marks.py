"""What safe HTML says of itself."""

import pytest

from inbox.html import sanitise
from inbox.html.marks import count_images, hidden_passages, host_of, links_of, show_hosts
from tests.cases import in_one_test
from tests.growth import assert_linear

HIDDEN = '<p>Hello <span style="display:none">pay <b>the new</b> account</span> there</p>'


def test_what_was_hidden_is_marked_and_listed_in_one_piece():
    safe = sanitise(HIDDEN).html
    assert '<mark class="hidden-text">pay </mark>' in safe
    assert hidden_passages(safe) == ("pay the new account",)
    assert sanitise(safe).html == safe


def test_hidden_passages_are_few_short_and_each_once():
    page = "".join(f"<p hidden>{'x' * 400}{number % 7}</p>" for number in range(50))
    found = hidden_passages(sanitise(page).html, most=3, longest=10)
    assert found == (f"{'x' * 10}…",) or len(found) <= 3
    assert hidden_passages("<p>seen</p>") == ()


def test_images_are_counted():
    assert count_images(sanitise('<img src="https://x.example/a"><img src=cid:b>').html) == 2


@in_one_test(
    ("label", "href", "misleads"),
    [
        ("https://bank.example/", "https://bank.example@evil.example/", True),
        ("bank.example", "https://bank.example.evil.example/", True),
        ("www.bank.example/login", "https://evil.example/bank.example", True),
        ("bank.example", "https://www.bank.example/x", False),
        ("www.bank.example", "https://bank.example/", False),
        ("here", "https://evil.example/", False),
        ("a@bank.example", "mailto:a@bank.example", False),
        ("bank.example", "https:///evil.example/", True),
        ("münchen.example", "https://xn--mnchen-3ya.example/", False),
        # Its first letter is none of Latin.
        ("\u0430pple.example", "https://xn--pple-43d.example/", True),
    ],
)
def test_a_link_misleads_when_it_names_another_host(label, href, misleads):
    [link] = links_of(sanitise(f'<a href="{href}"><b>{label}</b></a>').html)
    assert (link.label, link.misleads) == (label, misleads)


def test_a_host_stands_behind_a_link_that_does_not_say_it():
    safe = sanitise('<a href="https://evil.example/?a=1&amp;b=2">Sign <i>in</i></a>').html
    assert show_hosts(safe).endswith('</a> <span class="leads-to" dir="ltr">→ evil.example</span>')
    said = sanitise('<a href="https://evil.example/">evil.example</a>').html
    assert show_hosts(said) == said


@pytest.mark.parametrize(
    "label", ["https://bank.example/evil.example", "evil.example.bank.example", "not-evil.example"]
)
def test_a_host_is_not_said_by_words_that_only_hold_it(label):
    safe = sanitise(f'<a href="https://evil.example/">{label}</a>').html
    assert show_hosts(safe).endswith("→ evil.example</span>")


@pytest.mark.parametrize(
    ("label", "href"),
    [
        ("See https://www.shop.example/a?b=1.", "https://www.shop.example/a?b=1"),
        ("write to (Ada@shop.example)", "mailto:ada@shop.example"),
    ],
)
def test_a_host_among_other_words_is_said(label, href):
    safe = sanitise(f'<a href="{href}">{label}</a>').html
    assert show_hosts(safe) == safe


def test_many_links_are_read_in_linear_time():
    def read(size: int) -> None:
        page = "<a href='https://x.example/'>" + "a.b-" * size + "</a>"
        links_of(sanitise(page * 3).html)[0].misleads  # noqa: B018
        show_hosts(sanitise(page * 3).html)

    assert_linear(read, 20_000)


@in_one_test(
    ("href", "host"),
    [
        ("https://bank.example\\@evil.example/", "bank.example"),
        ("https://user:word@evil.example:8080/x", "evil.example"),
        ("mailto:a@x.example?bcc=b@y.example", "a@x.example"),
        ("http://[::1", ""),
        ("https:///evil.example/", "evil.example"),
        ("https://\\/evil.example", "evil.example"),
        ("https://%65vil.example/", "evil.example"),
        (f"https://{'a' * 90}.example/", f"…{'a' * 72}.example"),
    ],
)
def test_the_host_is_the_one_that_a_browser_goes_to(href, host):
    assert host_of(href) == host
