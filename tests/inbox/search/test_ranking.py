"""Search puts what is looked for about as high as plain BM25, or higher, on SQLite and PostgreSQL."""

import random
from email.message import EmailMessage
from pathlib import Path

import pytest

from agents.operations.setup.own_mail import bring_own_mail
from bench.in_process import rankings
from inbox.intake.sources import open_source
from tests.cases import made_up

pytestmark = pytest.mark.django_db(transaction=True)

_SYLLABLES = ("ka", "lo", "mi", "ren", "tus", "bel", "dor", "fin", "gra", "hum", "jel", "pos")
# Among them some that join two words to one for many a parser.
LINKS = ("{} {}", "{}-{}", "{}/{}", "{}.{}", "{}@{}", "{}_{}")
# Of fewer than 40 the ratio is a matter of luck.
_THREADS = max(40, made_up(80))
# In so few letters of random words, one that comes second for first is a hundredth.
LEAST = 0.97


def vocabulary(chance: random.Random) -> list[str]:
    words = {"".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4))) for _ in range(1500)}
    return sorted(words)


def _text(chance: random.Random, words: list[str], topic: list[str], size: int) -> str:
    """Return a text of common words, of rare ones and of its topic, some of them joined."""
    shares = [1 / (place + 3) for place in range(len(words))]
    drawn = chance.choices(words, shares, k=size) + chance.choices(topic, k=max(3, size // 6))
    chance.shuffle(drawn)
    pairs = zip(drawn[::2], drawn[1::2], strict=False)
    return "\n".join(chance.choice(LINKS).format(*pair) for pair in pairs)


def _letter(key: str, answered: str, subject: str, text: str) -> bytes:
    mail = EmailMessage()
    mail["From"], mail["To"] = "ada@customer.example", "desk@lantern.example"
    mail["Subject"], mail["Message-ID"] = subject, f"<{key}@customer.example>"
    mail["Date"] = "Mon, 2 Mar 2026 09:00:00 +0000"
    if answered:
        mail["In-Reply-To"] = mail["References"] = f"<{answered}@customer.example>"
    mail.set_content(text)
    return mail.as_bytes()


def write_conversations(folder: Path, threads: int) -> None:
    """Write conversations whose letters share some words, in texts of all lengths."""
    chance = random.Random(11)
    words = vocabulary(chance)
    for thread in range(threads):
        topic = chance.sample(words, 8)
        subject, answered = " ".join(chance.sample(topic, 3)), ""
        for number in range(chance.randint(2, 4)):
            text = _text(chance, words, topic, chance.choice((20, 40, 60, 150)))
            key, title = f"{thread}.{number}", f"Re: {subject}" if number else subject
            (folder / f"{key}.eml").write_bytes(_letter(key, answered, title, text))
            answered = key
            topic = [*topic[:5], *chance.sample(words, 3)]


def test_what_is_looked_for_is_about_as_high_as_by_plain_bm25_or_higher(tmp_path):
    folder = tmp_path / "letters"
    folder.mkdir()
    write_conversations(folder, _THREADS)
    bring_own_mail(
        source=open_source(folder), address="desk@lantern.example", authserv_id="",
        on_progress=lambda done: None,
    )  # fmt: skip
    results = rankings.measure()
    assert len(results) == 4
    for result in results:
        assert float(result.ratio) >= LEAST, result
