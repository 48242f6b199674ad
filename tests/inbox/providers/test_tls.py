"""Certificates are read once, and again when they change."""

import ssl

import pytest

from inbox.providers.tls import shared_tls_context
from tests.servers import make_certificate


def test_a_context_is_shared_until_its_file_changes(tmp_path):
    path = make_certificate(tmp_path / "own.pem")
    first = shared_tls_context(str(path))
    assert shared_tls_context(str(path)) is first
    assert first.verify_mode == ssl.CERT_REQUIRED
    assert first.check_hostname
    path.unlink()
    with pytest.raises(OSError, match=r"own\.pem"):
        shared_tls_context(str(path))
    make_certificate(path, "imap.example.org", days=2)
    other = shared_tls_context(str(path))
    assert other is not first
    assert other.get_ca_certs() != first.get_ca_certs()


def test_the_certificates_of_the_system_are_shared_and_no_others_with_them(tmp_path):
    path = make_certificate(tmp_path / "own.pem")
    assert shared_tls_context(None) is shared_tls_context(None)
    assert shared_tls_context(None) is not shared_tls_context(str(path))
