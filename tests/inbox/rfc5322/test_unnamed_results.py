"""Results without a server's name count by the place where they stand, and no sender reaches it."""

import base64

import pytest

from inbox.intake.prepared import Recipient
from inbox.intake.preparing import authenticate
from inbox.providers.presets import presets
from inbox.rfc5322.authentication import OwnServers, own_servers, read_unnamed
from inbox.rfc5322.parse import parse_message
from tests.cases import in_one_test

OWN = own_servers("provider.example 2001:db8:a::/48")
# As the provider's servers write them, from the top.
DELIVERED = "Received: from hub.provider.example (::1) by store.provider.example with HTTPS; now"
INSIDE = "Received: from edge.provider.example (2001:db8:a::7) by hub.provider.example (10.0.0.2) with SMTP; now"
TAKEN = "Received: from mail.customer.example (198.51.100.9) by edge.provider.example (10.0.0.1) with SMTP; now"
GOOD = (
    "Authentication-Results: spf=pass (sender IP is 198.51.100.9) smtp.mailfrom=customer.example;"
    " dkim=pass (signature was verified) header.d=customer.example;dmarc=pass action=none"
    " header.from=customer.example;compauth=pass reason=100"
)
BAD = (
    "Authentication-Results: spf=fail (sender IP is 198.51.100.9) smtp.mailfrom=evil.example;"
    " dkim=none (message not signed) header.d=none;dmarc=fail action=none"
    " header.from=customer.example;compauth=fail reason=000"
)
FROM = "From: Ada <ada@customer.example>"


def verdict(*lines: str, own: OwnServers = OWN) -> tuple[str, str]:
    """Return the verdict, and whose word it is."""
    raw = "\r\n".join((*lines, FROM, "Subject: Lamps", "", "Hello")).encode()
    parsed = parse_message(raw)
    found, results = read_unnamed(parsed.trace, own, parsed.sender.email.rpartition("@")[2])
    return found, results.get("authserv_id", "")


def test_what_stands_among_our_own_servers_fields_counts():
    assert verdict(DELIVERED, INSIDE, GOOD, TAKEN) == ("pass", "edge.provider.example")
    assert verdict(DELIVERED, INSIDE, BAD, TAKEN) == ("fail", "edge.provider.example")
    assert verdict(GOOD, TAKEN) == ("pass", "edge.provider.example")
    assert verdict(GOOD.replace(": ", ": ; "), TAKEN)[0] == "pass"
    assert verdict(DELIVERED, INSIDE, "Received-SPF: Pass", GOOD, "X-A: b", TAKEN)[0] == "pass"


def test_a_folded_field_in_any_case_counts():
    folded = (
        GOOD.replace("; ", ";\r\n\t").replace("dmarc=", "DMARC=").replace("header", "\r\n header")
    )
    shouted = [line.replace("provider.example", "PROVIDER.Example") for line in (DELIVERED, INSIDE)]
    assert verdict(*shouted, folded, TAKEN) == ("pass", "edge.provider.example")


@in_one_test(
    "lines",
    [
        # Below the field by which our own server took it, everything is the sender's.
        (DELIVERED, INSIDE, TAKEN, GOOD),
        (DELIVERED, INSIDE, TAKEN, GOOD, TAKEN),
        (DELIVERED, INSIDE, TAKEN, DELIVERED, INSIDE, GOOD, TAKEN),
        # A server that is not ours stands above it.
        ("Received: from edge.provider.example (10.0.0.1) by mx.other.example with SMTP; now", GOOD, TAKEN),
        # Who handed it in called himself by our server's name.
        (DELIVERED, TAKEN.replace("mail.customer.example", "edge.provider.example"), GOOD, TAKEN),
        (DELIVERED, TAKEN.replace("mail.customer.example", "edge.provider.example").replace("(198.51.100.9) ", ""), GOOD, TAKEN),
        (DELIVERED, TAKEN.replace("mail.customer.example (198.51.100.9)", "edge.provider.example (10.0.0.1 [198.51.100.9])"), GOOD, TAKEN),
        # ... or by a name that goes on as our own server would.
        (DELIVERED, TAKEN.replace("mail.customer.example", "hub.provider.example (::1) by hub.provider.example with HTTPS"), GOOD, TAKEN),
        (DELIVERED, TAKEN.replace("mail.customer.example", "hub.provider.example (::1)"), GOOD, TAKEN),
        # The field below it is none of ours, or there is none.
        (DELIVERED, INSIDE, GOOD, "Received: from x (198.51.100.9) by mx.evil.example with SMTP; now"),
        (DELIVERED, INSIDE, GOOD, "Received: from x (198.51.100.9) by edge.provider.example.evil.example with SMTP; now"),
        (DELIVERED, INSIDE, GOOD, "Received: from x (198.51.100.9) by notprovider.example with SMTP; now"),
        (DELIVERED, INSIDE, GOOD),
        (GOOD,),
        (),
        # What the provider renamed, because a sender had written it.
        (DELIVERED, INSIDE, GOOD.replace("Results", "Results-Original"), TAKEN),
        ("ARC-" + GOOD.replace(": ", ": i=1; "), TAKEN),
        # A server's name, whosever it is: that is for the other rule.
        (GOOD.replace(": ", ": edge.provider.example; "), TAKEN),
        (GOOD.replace(": ", ": (edge) "), "Received: by mx.evil.example"),
    ],
)  # fmt: skip
def test_no_forged_or_foreign_field_counts(lines):
    assert verdict(*lines) == ("none", "")


def test_the_topmost_counts_and_a_senders_own_below_changes_nothing():
    assert verdict(DELIVERED, INSIDE, BAD, TAKEN, GOOD, TAKEN)[0] == "fail"
    assert verdict(DELIVERED, INSIDE, GOOD, TAKEN, BAD)[0] == "pass"
    helo = TAKEN.replace(
        "mail.customer.example (198.51.100.9)", "edge.provider.example (2001:db8:a::7)"
    )
    assert verdict(DELIVERED, INSIDE, BAD, helo, GOOD, TAKEN)[0] == "fail"


def test_a_header_in_the_body_or_in_an_attached_message_counts_for_nothing():
    attached = "\r\n".join(
        (
            DELIVERED, TAKEN, FROM, "MIME-Version: 1.0", 'Content-Type: multipart/mixed; boundary="b"', "",
            "--b", "Content-Type: message/rfc822", "", GOOD, TAKEN, "From: x@customer.example", "", "Hi", "--b--",
        )
    )  # fmt: skip
    parsed = parse_message(attached.encode())
    assert read_unnamed(parsed.trace, OWN, "customer.example") == ("none", {})
    parsed = parse_message("\r\n".join((TAKEN, FROM, "", GOOD, TAKEN)).encode())
    assert parsed.trace == ()


@in_one_test(
    ("results", "expected"),
    [
        ("spf=pass smtp.mailfrom=evil.example; dkim=none header.d=none;dmarc=none header.from=customer.example;compauth=pass reason=105", "none"),
        ("spf=pass smtp.mailfrom=customer.example; dkim=none;dmarc=none header.from=customer.example", "pass"),
        ("spf=pass smtp.mailfrom=x@news.customer.example;dmarc=bestguesspass header.from=customer.example;compauth=pass", "pass"),
        ("spf=none; dkim=pass header.d=customer.example;dmarc=temperror", "pass"),
        ("spf=none; dkim=pass header.d=evil.example;dmarc=pass header.from=evil.example;compauth=pass", "none"),
        ("spf=none; dkim=pass header.d=evil.example;dmarc=pass header.from=;compauth=pass", "none"),
        ("spf=softfail smtp.mailfrom=customer.example; dkim=none;dmarc=none", "fail"),
        ("spf=none; dkim=none;dmarc=none;compauth=fail reason=001", "fail"),
        ("spf=pass smtp.mailfrom=customer.example;dmarc=none;compauth=fail reason=001", "fail"),
        ("spf=none; dkim=none;dmarc=none;compauth=none", "none"),
        # The name by which the sender greeted stands in the field, and may end a statement.
        ("spf=none smtp.helo=x;dmarc=pass header.from=customer.example; dkim=none;dmarc=fail header.from=customer.example", "none"),
        ("spf=none smtp.helo=x; spf=pass smtp.mailfrom=customer.example;dmarc=none", "none"),
        ('spf=none smtp.helo="x;dmarc=pass header.from=customer.example"; dkim=none;dmarc=fail', "fail"),
    ],
)  # fmt: skip
def test_a_method_counts_for_the_domain_of_the_sender_only(results: str, expected: str):
    assert verdict(DELIVERED, INSIDE, f"Authentication-Results: {results}", TAKEN)[0] == expected


def test_without_servers_of_our_own_nothing_counts():
    assert verdict(DELIVERED, INSIDE, GOOD, TAKEN, own=OwnServers()) == ("none", "")
    assert own_servers("not a host") == OwnServers()


def test_names_alone_do_not_make_a_step_between_our_own_servers():
    only_names = own_servers("provider.example")
    assert verdict(DELIVERED, INSIDE, GOOD, TAKEN, own=only_names) == ("none", "")
    private = INSIDE.replace("2001:db8:a::7", "10.9.9.9")
    assert verdict(DELIVERED, private, GOOD, TAKEN, own=only_names)[0] == "pass"


@in_one_test("text", ["com", "provider", "10.0.0.0/8 ", "0.0.0.0/0 a.example", "::/0 a.example", "a.example 10.0.0.1/8", "a@b.example", "https://a.example", "a.example;b.example", " ".join(f"a{n}.example" for n in range(21))])  # fmt: skip
def test_what_names_no_servers_is_refused(text: str):
    with pytest.raises(ValueError, match=r"\w"):
        OwnServers.read(text)


def test_the_fields_of_microsofts_servers_are_read():
    own = own_servers(presets()["microsoft365"].own_servers)
    lines = (
        "Received: from AA1PR01MB0001.eurprd01.prod.outlook.com (::1) by\r\n"
        " AA1PR01MB0002.eurprd01.prod.outlook.com with HTTPS; Mon, 2 Mar 2026 07:00:21\r\n +0000",
        "Received: from AM0PR01CA0003.eurprd01.prod.exchangelabs.com (2603:10a6:208:ab::8)\r\n"
        " by AA1PR01MB0001.eurprd01.prod.outlook.com (2603:10a6:803:30::13) with\r\n"
        " Microsoft SMTP Server (version=TLS1_2,\r\n cipher=TLS_AES_256_GCM_SHA384) id 15.20.1.33; now",
        "Received: from AA1EUR01FT004.eop-eur01.prod.protection.outlook.com\r\n"
        " (2603:10a6:208:ab:cafe::b1) by AM0PR01CA0003.outlook.office365.com\r\n"
        " (2603:10a6:208:ab::8) with Microsoft SMTP Server id 15.20.1.20 via Frontend Transport; now",
        GOOD,
        "Received: from mail.customer.example (198.51.100.9) by\r\n"
        " AA1EUR01FT004.mail.protection.outlook.com (10.152.1.8) with Microsoft\r\n"
        " SMTP Server id 15.20.1.20 via Frontend Transport; now",
    )
    host = "aa1eur01ft004.mail.protection.outlook.com"
    assert verdict(*lines, own=own) == ("pass", host)
    assert verdict(*lines[:3], lines[4], GOOD, lines[4], own=own) == ("none", "")


ARC = (
    "ARC-Authentication-Results: i=1; edge.provider.example 1; spf=pass smtp.mailfrom=customer.example;"
    " dmarc=pass header.from=customer.example"
)
SPF = (
    "Received-SPF: Pass (provider.example: domain of customer.example designates 198.51.100.9 as"
    " permitted sender) receiver=provider.example; client-ip=198.51.100.9; helo=mail.customer.example"
)


def test_results_of_arc_and_of_spf_alone_count_where_our_own_server_wrote_them():
    taken_in = ("pass", "edge.provider.example")
    assert verdict(DELIVERED, INSIDE, ARC, TAKEN) == taken_in
    assert verdict(DELIVERED, INSIDE, SPF, TAKEN) == taken_in
    by_mail_from = (
        "Received-SPF: pass (mailfrom) identity=mailfrom; envelope-from=<x@customer.example>"
    )
    assert verdict(by_mail_from, TAKEN) == taken_in
    assert verdict(by_mail_from.replace("pass (", "SoftFail ("), TAKEN)[0] == "fail"
    # What says most decides: Authentication-Results, then ARC's, then SPF's.
    assert verdict(DELIVERED, SPF, ARC, INSIDE, BAD, TAKEN)[0] == "fail"


@in_one_test(
    "lines",
    [
        (DELIVERED, INSIDE, TAKEN, ARC, SPF),
        (DELIVERED, INSIDE, ARC, SPF),
        # Another server's word of an earlier step, which ours only passed on.
        (DELIVERED, INSIDE, ARC.replace("edge.provider", "mx.evil"), TAKEN),
        (DELIVERED, INSIDE, ARC.replace("i=1;", ""), TAKEN),
        # SPF passed for somebody else, or for nobody.
        (SPF.replace("customer.example des", "evil.example des"), TAKEN),
        ("Received-SPF: Pass", TAKEN),
        ("Received-SPF: Passed domain of customer.example", TAKEN),
    ],
)
def test_a_senders_own_field_of_arc_or_spf_counts_for_nothing(lines):
    assert verdict(*lines)[0] == "none"


def test_a_field_that_is_encoded_as_a_whole_is_read():
    encoded = base64.b64encode(GOOD.partition(": ")[2].encode()).decode()
    line = f"Authentication-Results: =?utf-8?B?{encoded}?="
    assert verdict(DELIVERED, INSIDE, line, TAKEN) == ("pass", "edge.provider.example")


def test_an_account_that_is_known_by_its_authserv_id_takes_its_servers_received_spf():
    recipient = Recipient(1, "edge.provider.example", frozenset())
    raw = "\r\n".join((SPF, TAKEN, FROM, "", "Hello")).encode()
    assert authenticate(parse_message(raw), recipient)[0] == "pass"
    forged = "\r\n".join((TAKEN, SPF, TAKEN, FROM, "", "Hello")).encode()
    assert authenticate(parse_message(forged), recipient)[0] == "none"
