"""What goes wrong on the way to a server, in words for whoever connects it."""

import socket
import ssl

import httpx
import pytest

from inbox.providers.http.failures import failures_of, refusal
from inbox.providers.mail_store import StoreError

HOST = "cloud.lantern.example"


def said(cause):
    with pytest.raises(StoreError) as refused, failures_of(HOST):
        raise httpx.ConnectError(str(cause)) from cause
    return str(refused.value)


@pytest.mark.parametrize(
    ("cause", "words"),
    [
        (socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
         "cannot be reached: there is no server of this name; check how it is written."),
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"),
         "cannot be reached: its name cannot be looked up right now."),
        (ConnectionRefusedError(111, "Connection refused"),
         "cannot be reached: no server answers there."),
        (ConnectionResetError(104, "Connection reset by peer"), ": Connection reset by peer."),
    ],
    ids=["no-name", "no-look-up", "refused", "reset"],
)  # fmt: skip
def test_no_number_of_the_system_is_shown(cause, words):
    assert said(cause) in {f"{HOST}{words}", f"{HOST} {words}"}


def test_a_certificate_is_named():
    cause = ssl.SSLCertVerificationError(1, "certificate verify failed")
    cause.verify_message = "self-signed certificate"
    assert said(cause) == f"The certificate of {HOST} cannot be trusted: self-signed certificate."


def test_a_web_page_is_no_refusal():
    failure = refusal(HOST, 200, {}, b"<html><h1>Welcome</h1></html>")
    assert str(failure.words) == (
        f"{HOST} answers, but not as such a server does; check the address:"
    )
    assert (failure.kind, failure.reply) == ("permanent", "HTTP 200 Welcome")
