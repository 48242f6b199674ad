import pytest

from inbox.accounts.account_settings import check_settings
from inbox.providers.presets import (
    guess,
    preset_for,
    preset_of,
    presets,
    with_known_networks,
    with_own_servers,
)
from inbox.rfc5322.authentication import OwnServers, own_servers
from tests.cases import in_one_test

each_preset = in_one_test("preset", presets().values())


@each_preset
def test_every_preset_makes_settings_that_are_accepted(preset):
    client = {"oauth_client_id": "chancery"} if preset.login == "oauth" else {}
    kept = check_settings({**preset.settings, **client})
    assert kept["imap_host"] == preset.imap.host
    assert preset.imap.security != "none"
    assert preset.smtp.security != "none"


@each_preset
def test_every_preset_says_what_its_provider_wants(preset):
    assert preset.advice.endswith(".")
    assert preset.login in {"password", "app_password", "oauth"}
    assert not preset.link or preset.link.startswith("https://")
    assert (preset.login != "oauth") or preset.oauth_token_url


def test_a_domain_has_one_preset():
    domains = [domain for preset in presets().values() for domain in preset.domains]
    assert len(domains) == len(set(domains))


def test_a_provider_is_found_by_the_address_and_by_its_server():
    found = preset_for("Mira.Voss@GoogleMail.com")
    assert found is not None
    assert found.name == "gmail"
    assert preset_of({"imap_host": "imap.gmail.com"}) is found
    assert preset_of({"smtp_host": "SMTP.gmail.com"}) is found
    assert preset_of({"imap_host": "imap.example.org"}) is preset_for("mira@example.org") is None


def test_only_microsofts_results_bear_no_server_name():
    own = {name for name, preset in presets().items() if preset.own_servers}
    assert own == {"outlook", "microsoft365"}
    typed = {"imap_host": "Outlook.Office365.com"}
    assert "outlook.com" in with_own_servers(typed)["own_servers"].split()
    assert with_own_servers({**typed, "own_servers": "a.example"})["own_servers"] == "a.example"
    assert with_own_servers({"smtp_host": "smtp.office365.com"}) == {
        "smtp_host": "smtp.office365.com"
    }


def test_the_servers_of_other_domains_are_guessed():
    guessed = guess("mira@bücher.example")
    assert guessed["imap_host"] == "imap.xn--bcher-kva.example"
    assert guessed["smtp_host"] == "smtp.xn--bcher-kva.example"
    assert {guessed["imap_security"], guessed["smtp_security"]} == {"tls"}


def test_the_networks_of_a_known_provider_are_filled_in():
    known = own_servers(presets()["outlook"].own_servers)
    filled = with_known_networks(OwnServers.read("outlook.com"))
    assert filled == OwnServers(("outlook.com",), known.networks)
    assert filled.passed_on(
        "from a.prod.outlook.com (2603:10a6:20b:4c5::9) by b.prod.outlook.com"
        " (2603:10a6:800:1::2) with Microsoft SMTP Server; Mon, 30 Nov 2026 06:00:00 +0000"
    )


@pytest.mark.parametrize("text", ["", "mx.lantern.example", "outlook.com 192.0.2.0/24"])
def test_servers_of_others_and_what_is_said_stay(text):
    servers = OwnServers.read(text)
    assert with_known_networks(servers) == servers
