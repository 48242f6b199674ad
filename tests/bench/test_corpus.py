import pytest

from bench.corpus import multiply

LETTER = b"Message-ID: <one@x>\nReferences: <zero@x>\n <half@x>\nSubject: Lamp\n\nSee <one@x>.\n"


@pytest.fixture
def maildir(tmp_path):
    (tmp_path / "few" / "cur").mkdir(parents=True)
    for number in range(2):
        (tmp_path / "few" / "cur" / f"{number}").write_bytes(LETTER.replace(b"one", b"%d" % number))
    return tmp_path / "few"


def test_few_messages_become_many_that_are_strangers_to_each_other(maildir, tmp_path):
    many = multiply(maildir, tmp_path / "many", range(6))
    letters = [path.read_bytes() for path in sorted((many / "cur").iterdir())]
    assert len({letter.partition(b"\n\n")[0] for letter in letters}) == 6
    assert b"References: <zero.2@x" not in letters[4]
    assert b"<zero@x.2>\n <half@x.2>" in letters[4]
    assert b"Subject: Lamp (2)" in letters[4]
    assert letters[4].endswith(b"See <0@x>.\n")


def test_a_later_part_goes_on_where_an_earlier_one_ended(maildir, tmp_path):
    first = multiply(maildir, tmp_path / "a", range(3))
    second = multiply(maildir, tmp_path / "b", range(3, 6))
    names = [path.name for part in (first, second) for path in (part / "cur").iterdir()]
    assert len(set(names)) == 6
