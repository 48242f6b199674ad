"""What our own server said of the sender."""

from inbox.rfc5322.authentication import read_authentication
from tests.cases import in_one_test

OURS = "mx.lantern.example"


@in_one_test(
    ("header", "verdict"),
    [
        (f"{OURS}; dmarc=pass header.from=brook.example", "pass"),
        (f"{OURS}; spf=pass smtp.mailfrom=a@b.example; dmarc=fail", "fail"),
        (f"{OURS} 1; dkim=fail; dkim=pass header.d=brook.example", "pass"),
        (f"{OURS}; spf=softfail", "fail"),
        (f"{OURS}; spf=neutral", "none"),
        (f"{OURS}; none", "none"),
        (f'"{OURS}"; (comment; dmarc=fail) dmarc=pass', "pass"),
        (f'{OURS}; spf=none reason="; dmarc=pass"', "none"),
        ("mx.evil.example; dmarc=pass", "none"),
        (f"mx.evil.example; dmarc=pass; {OURS}; dmarc=pass", "none"),
        ("", "none"),
    ],
)
def test_only_our_own_server_is_believed(header: str, verdict: str):
    assert read_authentication([header], OURS)[0] == verdict


def test_the_topmost_of_our_own_fields_counts():
    headers = ["mx.evil.example; dmarc=pass", f"{OURS}; dmarc=fail", f"{OURS}; dmarc=pass"]
    verdict, results = read_authentication(headers, OURS)
    assert verdict == "fail"
    assert results == {"dmarc": "fail", "authserv_id": OURS}


def test_the_domains_are_kept():
    header = f"{OURS}; dkim=pass header.d=Brook.Example; dmarc=pass header.from=brook.example"
    results = read_authentication([header], OURS.upper())[1]
    assert results["dkim.header.d"] == "brook.example"
    assert results["dmarc.header.from"] == "brook.example"


def test_without_a_trusted_server_nothing_is_believed():
    assert read_authentication([f"{OURS}; dmarc=pass"], "") == ("none", {})
    assert read_authentication(["; dmarc=pass"], " ") == ("none", {})
