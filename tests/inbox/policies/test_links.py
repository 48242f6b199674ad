"""Links in a text, with and without a scheme, and links that say another host than theirs."""

import pytest

from inbox.policies.links import find_links, find_mislabelled, shown_host
from tests.cases import in_one_test
from tests.growth import assert_linear

HOSTS = [
    ("See https://evil.example/x. Or www.docs.example!", ["evil.example", "www.docs.example"]),
    ("Sign in at bank-login.example/x now.", ["bank-login.example"]),
    ("Visit Bank-Login.example.", ["bank-login.example"]),
    ("shop.co.uk, orf.at and b92.rs:8080/x", ["shop.co.uk", "orf.at", "b92.rs"]),
    ("pay.unknownending/now", ["pay.unknownending"]),
    ("xn--pypal-4ve.com", ["xn--pypal-4ve.com"]), ("р\u0430ypal.com", ["р\u0430ypal.com"]),
    ("https://a.example/b?c=d.example", ["a.example"]), ("http://[::1", [""]),
    ("https://bank.example@evil.example/in", ["evil.example"]),
    ("tom@quarry.example, tom.quarry@mail.quarry.example", []),
    ("README.md, main.py, report.pdf and src/main.rs/x of v1.2.3", []),
    ("e.g. this, z.B. das, u.a. jenes, 3.50 EUR, 24.12.2026, 24.dez/25.dez", []),
    ("Node.js and ASP.NET. It is done.It was so.And is.", []),
    ("pay.unknownending", []), ("a.b and x.y/z", []), (r"C:\evil.com", ["evil.com"]),
]  # fmt: skip
MISLABELLED = [
    ("www.bank.example <https://evil.example/x>", "www.bank.example", "evil.example"),
    ("See [bank.example/login](https://evil.example).", "bank.example/login", "evil.example"),
    ("See [**bank.example**](<https://evil.example>).", "**bank.example**", "evil.example"),
    ("[bank.example](evil.example/x)", "bank.example", "evil.example"),
    ("https://bank.example:443@evil.example/in", "bank.example:443", "evil.example"),
]
HONEST = [
    "quarry.example <https://www.quarry.example/a>", "[quarry.example](https://shop.quarry.example)",
    "[our page](https://evil.example)", "Tom <tom@quarry.example>", "https://mira:key@quarry.example/",
    "see <https://quarry.example>", "a.b[1] <http://quarry.example>",
]  # fmt: skip


@in_one_test(("text", "hosts"), HOSTS)
def test_names_of_hosts_are_links_where_programs_make_links_of_them(text, hosts):
    assert [link.host for link in find_links(text)] == hosts


@in_one_test(("text", "label", "host"), MISLABELLED)
def test_a_link_that_says_another_host_is_found(text, label, host):
    assert [(named, link.host) for link, named in find_mislabelled(text)] == [(label, host)]


@in_one_test("text", HONEST)
def test_a_link_that_says_its_own_host_or_none_is_not(text):
    assert list(find_mislabelled(text)) == []


def test_a_host_is_shown_as_people_and_machines_write_it():
    assert shown_host("quarry.example") == "quarry.example"
    both = "m\u00fcller.example (xn--mller-kva.example)"
    assert shown_host("xn--mller-kva.example") == shown_host("m\u00fcller.example") == both


@in_one_test("unit", ["a.", "a.b/", "www.", "[a](", "a<http://", "x" * 60 + ".", "http://a@"])
def test_a_long_text_takes_no_longer_by_the_letter(unit):
    assert_linear(lambda size: list(find_mislabelled(unit * (size // len(unit)))), 40_000)


@pytest.mark.parametrize("scheme", ["ps", "", "ftp"])
def test_a_link_whose_scheme_was_cut_off_leads_where_it_says(scheme):
    [link] = find_links(f"until Friday {scheme}://signin.example/renew.")
    assert (link.words, link.host) == (f"{scheme}://signin.example/renew", "signin.example")
