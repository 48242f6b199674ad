import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from inbox.errors import DomainError
from inbox.intake.sources import TargetMailbox, open_source
from tests.inbox.letters import letter


@pytest.fixture
def maildir(tmp_path) -> Path:
    for part in ("cur", "new", "tmp"):
        (tmp_path / part).mkdir()
    return tmp_path


def write(path: Path, *lines: str) -> Path:
    path.write_bytes("\n".join(lines).encode())
    return path


def raws(path: Path) -> list[bytes]:
    return [item.raw for item in open_source(path)]


# -- Maildir ---------------------------------------------------------------------------------------
def test_all_three_folders_of_a_maildir_are_read(maildir):
    for part in ("cur", "new", "tmp"):
        (maildir / part / f"1.{part}").write_bytes(letter(part))
    source = open_source(maildir)
    assert source.kind == "Maildir"
    assert source.total == 3
    assert sorted(raws(maildir)) == sorted(map(letter, ("cur", "new", "tmp")))


@pytest.mark.parametrize(
    ("name", "keywords"),
    [
        ("1.a:2,S", ("$seen",)),
        ("1.a:2,FRS", ("$flagged", "$answered", "$seen")),
        ("1.a:2,DP", ("$draft", "$forwarded")),
        ("1.a;2,S", ("$seen",)),
        ("1.a:2,", ()),
        ("1.a", ()),
        ("1.a:2,Sabz", ("$seen",)),
    ],
)
def test_flags_become_keywords(maildir, name, keywords):
    (maildir / "cur" / name).write_bytes(letter())
    assert open_source(maildir).items[0].keywords == keywords


def test_what_is_flagged_as_trashed_goes_to_the_trash(maildir):
    (maildir / "cur" / "1.a:2,ST").write_bytes(letter())
    item = open_source(maildir).items[0]
    assert item.place == TargetMailbox(role="trash")
    assert item.keywords == ("$seen",)


@pytest.mark.parametrize(
    ("folder", "place"),
    [
        (".Sent", TargetMailbox(role="sent")),
        (".Gesendete Objekte", TargetMailbox(role="sent")),
        (".Junk", TargetMailbox(role="junk")),
        (".Lists.raid", TargetMailbox(role="", name="Lists/raid")),
        (".Entw&APw-rfe", TargetMailbox(role="drafts")),
        (".R&-D", TargetMailbox(role="", name="R&D")),
        ("Archive", TargetMailbox(role="archive")),
        ("INBOX", None),
    ],
)
def test_folders_below_a_maildir_become_mailboxes(maildir, folder, place):
    (maildir / folder / "cur").mkdir(parents=True)
    (maildir / folder / "cur" / "1.a:2,").write_bytes(letter())
    assert [item.place for item in open_source(maildir)] == [place]


def test_a_maildir_without_messages_is_refused(maildir):
    with pytest.raises(DomainError, match="contains no messages"):
        open_source(maildir)


def test_a_pipe_in_a_maildir_is_not_waited_for(maildir):
    (maildir / "cur" / "1.a:2,S").write_bytes(letter())
    os.mkfifo(maildir / "cur" / "2.b:2,S")
    assert problems(maildir) == {"cur/2.b:2,S": "is not a file that could contain mail"}


# -- mbox ------------------------------------------------------------------------------------------
SEPARATOR = "From ada@customer.example Mon Mar  2 09:00:00 2026"


def test_an_mbox_is_taken_apart_and_its_quoting_undone(tmp_path):
    path = write(
        tmp_path / "mail",
        SEPARATOR, "Subject: One", "", ">From the start", ">>From twice", "", SEPARATOR, "Subject: Two",
        "", "text", "",
    )  # fmt: skip
    assert raws(path) == [
        b"Subject: One\n\nFrom the start\n>From twice\n",
        b"Subject: Two\n\ntext\n",
    ]
    assert open_source(path).kind == "mbox"


def test_an_mbox_with_crlf_is_taken_apart(tmp_path):
    path = tmp_path / "mail"
    one = f"{SEPARATOR}\r\nSubject: One\r\n\r\n>From here\r\n\r\n"
    path.write_bytes((one + one).encode())
    assert raws(path) == [b"Subject: One\r\n\r\nFrom here\r\n"] * 2


def test_a_line_of_prose_that_begins_with_from_does_not_end_a_message(tmp_path):
    path = write(
        tmp_path / "mail",
        SEPARATOR, "Subject: One", "", "", "From what I saw at 10:30 in the year 2026 we", "are fine.",
    )  # fmt: skip
    assert open_source(path).total == 1


def test_a_wrong_content_length_is_not_believed(tmp_path):
    path = write(
        tmp_path / "mail",
        SEPARATOR, "Subject: One", "Content-Length: 99999", "", "a", "", SEPARATOR,
        "Subject: Two", "Content-Length: 0", "", "b",
    )  # fmt: skip
    assert [raw[-2:].strip() for raw in raws(path)] == [b"a", b"b"]


def test_the_time_of_receipt_is_in_the_line_that_starts_a_message(tmp_path):
    path = write(tmp_path / "mail", SEPARATOR, "Subject: One", "", "a")
    assert open_source(path).items[0].received_at == datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "line",
    ["From - Mon Mar  2 09:00:00 2026", "From MAILER-DAEMON Mon Mar  2 09:00:00 2026 +0100",
     "From 'A B'@c.example Mon Mar 2 09:00 2026", "From ada@x.example  2026-03-02 09:00:00"],
)  # fmt: skip
def test_the_separators_of_other_programs_are_known(tmp_path, line):
    path = write(
        tmp_path / "mail", line, "Subject: One", "", "a", "", line, "Subject: Two", "", "b"
    )
    assert open_source(path).total == 2


def test_quoting_is_undone_across_pieces_of_a_long_message(tmp_path):
    body = (b">From " + b"x" * 70 + b"\n") * 40_000
    (tmp_path / "mail").write_bytes(f"{SEPARATOR}\nSubject: One\n\n".encode() + body)
    (raw,) = raws(tmp_path / "mail")
    assert raw.count(b"\nFrom x") == 40_000
    assert b">From" not in raw


# -- folders and single messages -------------------------------------------------------------------
def test_a_folder_of_eml_is_read_with_its_subfolders(tmp_path):
    (tmp_path / "2026").mkdir()
    (tmp_path / "b.eml").write_bytes(letter("b"))
    (tmp_path / "2026" / "a.EML").write_bytes(letter("a"))
    (tmp_path / ".hidden.eml").write_bytes(letter("hidden"))
    source = open_source(tmp_path)
    assert source.kind == "folder"
    assert [item.name for item in source] == ["b.eml", "2026/a.EML"]
    assert all(item.certain for item in source)


def test_an_mbox_in_a_folder_is_taken_apart(tmp_path):
    write(tmp_path / "old.mbox", SEPARATOR, "Subject: 1", "", "", SEPARATOR, "Subject: 2", "", "")
    assert open_source(tmp_path).total == 2


def test_an_eml_that_begins_like_an_mbox_is_one_message(tmp_path):
    path = write(tmp_path / "a.eml", SEPARATOR, "Subject: 1", "", "a", "", SEPARATOR, "Subject: 2")
    assert open_source(path).total == 1


def test_a_single_message_is_read(tmp_path):
    (tmp_path / "a.eml").write_bytes(letter())
    source = open_source(tmp_path / "a.eml")
    assert (source.kind, source.total) == ("message", 1)
    assert source.items[0].raw == letter()


# -- what is no mail -------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "is not mail"),
        ("a.bin", bytes(range(256)) * 8, "is not mail"),
        ("a.eml", b"", "is empty"),
        ("a.mbox", b"\n \n", "is empty"),
        ("a.txt", b"Dear diary, today nothing happened.\n", "is not mail"),
    ],
)
def test_a_file_that_is_no_mail_is_refused_in_plain_words(tmp_path, name, content, words):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DomainError, match=words) as caught:
        open_source(tmp_path / name)
    assert name in caught.value.message
    assert "a Maildir, an mbox" in caught.value.accepted


def test_a_path_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(DomainError, match="does not exist"):
        open_source(tmp_path / "gone")


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(DomainError, match="contains no files"):
        open_source(tmp_path)


def test_a_folder_without_mail_is_refused(tmp_path):
    (tmp_path / "a.pdf").write_bytes(b"%PDF-1.7")
    with pytest.raises(DomainError, match="None of the 1 files"):
        open_source(tmp_path)


def test_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(DomainError, match="neither a file nor a folder"):
        open_source(tmp_path / "pipe")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path):
    (tmp_path / "a.eml").write_bytes(letter())
    (tmp_path / "a.eml").chmod(0)
    with pytest.raises(DomainError, match="cannot be read"):
        open_source(tmp_path / "a.eml")


# -- what only looks like a file -------------------------------------------------------------------
def problems(path: Path) -> dict[str, str]:
    return {item.name: item.problem for item in open_source(path) if item.problem}


def test_nothing_in_a_folder_is_passed_over_in_silence(tmp_path):
    folder = tmp_path / "mail"
    folder.mkdir()
    (tmp_path / "secret.eml").write_bytes(letter("secret"))
    (folder / "a.eml").write_bytes(letter())
    (folder / "same.eml").symlink_to(folder / "a.eml")
    (folder / "out.eml").symlink_to(tmp_path / "secret.eml")
    (folder / "gone.eml").symlink_to(folder / "nowhere")
    (folder / "self.eml").symlink_to("self.eml")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.eml")
    assert problems(folder) == {
        "out.eml": "is a link that leads outside the folder and was not followed",
        "gone.eml": "cannot be read: No such file or directory",
        "self.eml": "cannot be read: a link that leads to itself",
        "loop": "is not a file that could contain mail",
        "pipe.eml": "is not a file that could contain mail",
    }
    assert open_source(folder).total == 7


def test_a_link_in_a_maildir_that_leads_outside_is_not_followed(maildir, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "key"
    outside.write_bytes(letter("secret"))
    (maildir / "cur" / "1:2,").write_bytes(letter())
    (maildir / "new" / "2").symlink_to(outside)
    assert list(problems(maildir)) == ["new/2"]


@pytest.mark.parametrize("folder", ["cur", "plain"])
def test_names_that_are_no_utf_8_are_shown_with_escapes(tmp_path, folder):
    (tmp_path / folder).mkdir()
    name = os.fsdecode(b"\xff\x1b[2J.eml")
    (tmp_path / folder / name).write_bytes(letter())
    item = open_source(tmp_path).items[0]
    assert item.name == f"{folder}/\\xff\\x1b[2J.eml"
    assert item.raw == letter()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may look into everything")
def test_a_folder_that_cannot_be_looked_into_stops_no_other(tmp_path):
    (tmp_path / "a.eml").write_bytes(letter())
    (tmp_path / "closed").mkdir(mode=0)
    assert list(problems(tmp_path)) == ["closed"]
