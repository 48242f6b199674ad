import pickle

import pytest
from cryptography.fernet import Fernet

from inbox.accounts.credentials import CredentialError, Secret, reseal, seal, unseal

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def test_a_sealed_password_opens_again():
    sealed = seal("grüße, 秘密")
    assert "grüße".encode() not in sealed
    assert unseal(sealed).reveal() == "grüße, 秘密"


def test_it_opens_from_what_a_database_hands_out():
    assert unseal(memoryview(seal("word"))).reveal() == "word"


@pytest.mark.parametrize("nothing", [None, b""])
def test_no_password_is_an_empty_one(nothing):
    assert not unseal(nothing)


def test_an_old_key_still_opens_and_the_newest_seals(settings):
    settings.CREDENTIAL_KEYS = [OLD]
    sealed = seal("word")
    settings.CREDENTIAL_KEYS = [NEW, OLD]
    assert unseal(sealed).reveal() == "word"
    renewed = reseal(sealed)
    settings.CREDENTIAL_KEYS = [NEW]
    assert unseal(renewed).reveal() == "word"
    with pytest.raises(CredentialError, match="CHANCERY_CREDENTIAL_KEYS"):
        unseal(sealed)


@pytest.mark.parametrize(
    "change", [lambda it: it[:-1], lambda it: it[:-4] + b"AAA=", lambda it: b"x"]
)
def test_an_altered_credential_does_not_open(change):
    with pytest.raises(CredentialError):
        unseal(change(seal("word")))


def test_a_secret_shows_nowhere():
    secret = Secret("open sesame")
    assert "sesame" not in f"{secret!r} {secret} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
