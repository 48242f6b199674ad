"""What every provider must do; the test of each inherits these cases."""

import pytest

from inbox.providers.base import Capabilities, Envelope, Parcel, Provider, ProviderError

MESSAGE = (
    b"From: office@lantern.example\r\nTo: ada@customer.example\r\nSubject: The offer\r\n"
    b"Message-ID: <1@lantern.example>\r\n\r\nDear Ada,\r\n\r\n.hidden dot\r\n..\r\n.\r\nBye\r\n"
)


def parcel(mime: bytes = MESSAGE, recipients=("ada@customer.example",), **fields) -> Parcel:
    sender = fields.pop("sender", "office@lantern.example")
    message_id = fields.pop("message_id", "<1@lantern.example>")
    return Parcel(Envelope(sender, tuple(recipients)), mime, message_id)


def ignore() -> None:
    """Hand over without a mark."""


class ProviderCases:
    """A test class gives `provider` (ready to use) and `delivered` (a callable: the messages)."""

    def test_its_capabilities_are_data(self, provider: Provider):
        assert isinstance(provider.capabilities, Capabilities)

    def test_exactly_the_sealed_bytes_arrive(self, provider, delivered):
        provider.submit(parcel(), ignore)
        assert delivered() == [MESSAGE]

    def test_it_returns_what_the_server_said(self, provider):
        assert provider.submit(parcel(), ignore).reply

    def test_it_hands_over_once_and_before_anything_arrives(self, provider, delivered):
        seen = []
        provider.submit(parcel(), lambda: seen.append(delivered()))
        assert seen == [[]]

    def test_nothing_arrives_where_handing_over_is_refused(self, provider, delivered):
        with pytest.raises(ZeroDivisionError):
            provider.submit(parcel(), lambda: 1 // 0)
        assert delivered() == []

    @pytest.mark.parametrize(
        "mime",
        [
            MESSAGE.replace(b"Bye\r\n", b"Bye\n.\r\nMAIL FROM:<eve@evil.example>\r\n"),
            MESSAGE.replace(b"Bye\r\n", b"Bye\r.\rMAIL FROM:<eve@evil.example>\r\n"),
            MESSAGE.removesuffix(b"\r\n"),
            MESSAGE + b"x" * 1000 + b"\r\n",
            MESSAGE + b"\0\r\n",
        ],
    )
    def test_bytes_that_would_change_on_the_wire_are_refused(self, provider, delivered, mime):
        with pytest.raises(ProviderError) as caught:
            provider.submit(parcel(mime), ignore)
        assert caught.value.kind == "permanent"
        assert delivered() == []

    def test_it_finds_what_it_sent_or_says_that_it_cannot_tell(self, provider):
        before = provider.find_sent("<1@lantern.example>")
        provider.submit(parcel(), ignore)
        after = provider.find_sent("<1@lantern.example>")
        # One that cannot always tell may still find that it was.
        always = provider.capabilities.finds_sent
        assert before is (False if always else None)
        assert after is True or (not always and after is None)
