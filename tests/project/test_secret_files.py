from concurrent.futures import ThreadPoolExecutor

from cryptography.fernet import Fernet

from project.secret_files import read_or_make_secret


def test_a_secret_is_made_once_for_its_owner_only(tmp_path):
    path = tmp_path / "var" / "credentials.key"
    secret = read_or_make_secret(path)
    assert Fernet(secret)
    assert read_or_make_secret(path) == secret
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [each.name for each in path.parent.iterdir()] == ["credentials.key"]


def test_all_who_start_at_once_read_the_same_secret(tmp_path):
    with ThreadPoolExecutor(16) as pool:
        found = set(pool.map(read_or_make_secret, [tmp_path / "secret.key"] * 64))
    assert len(found) == 1
    assert len(found.pop()) == 44


def test_a_given_secret_is_read_as_it_stands(tmp_path):
    (tmp_path / "secret.key").write_text("given\n")
    assert read_or_make_secret(tmp_path / "secret.key") == "given"
