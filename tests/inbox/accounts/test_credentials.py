import pickle

import pytest
from cryptography.fernet import Fernet

from inbox.accounts.credentials import CredentialError, Secret, decrypt, encrypt, reencrypt

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


def test_an_encrypted_password_opens_again():
    ciphertext = encrypt("grüße, 秘密")
    assert "grüße".encode() not in ciphertext
    assert decrypt(ciphertext).reveal() == "grüße, 秘密"


def test_it_opens_from_what_a_database_hands_out():
    assert decrypt(memoryview(encrypt("word"))).reveal() == "word"


@pytest.mark.parametrize("nothing", [None, b""])
def test_no_password_is_an_empty_one(nothing):
    assert not decrypt(nothing)


def test_an_old_key_still_opens_and_the_newest_encrypts(settings):
    settings.CREDENTIAL_KEYS = [OLD]
    ciphertext = encrypt("word")
    settings.CREDENTIAL_KEYS = [NEW, OLD]
    assert decrypt(ciphertext).reveal() == "word"
    renewed = reencrypt(ciphertext)
    settings.CREDENTIAL_KEYS = [NEW]
    assert decrypt(renewed).reveal() == "word"
    with pytest.raises(CredentialError, match="CHANCERY_CREDENTIAL_KEYS"):
        decrypt(ciphertext)


@pytest.mark.parametrize(
    "change", [lambda it: it[:-1], lambda it: it[:-4] + b"AAA=", lambda it: b"x"]
)
def test_an_altered_credential_does_not_open(change):
    with pytest.raises(CredentialError):
        decrypt(change(encrypt("word")))


def test_a_secret_shows_nowhere():
    secret = Secret("open sesame")
    assert "sesame" not in f"{secret!r} {secret} {[secret]}"
    with pytest.raises(TypeError):
        pickle.dumps(secret)
