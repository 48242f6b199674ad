"""Measuring what decisions teach, on mail and on kinds of texts that we wrote."""

import pytest

from bench.understanding.learned import main

GOOD = "Could you send me the {0} of the harbour by Friday? The {1} is nearly done."
BAD = "Buy {0} pills now! The stock of cheap {1} is limited, so click https://pills.example/{0}"
WORDS = ("report", "budget", "draft", "plan", "contract", "schedule", "survey", "map")


@pytest.fixture
def mail(tmp_path):
    """Forty messages of each kind, of as many senders, in a folder each."""
    for name, text in (("honest", GOOD), ("spam", BAD)):
        (tmp_path / name).mkdir()
        for at in range(40):
            words = text.format(WORDS[at % 8], WORDS[at // 5])
            raw = f"From: a@{name}{at}.example\nSubject: {WORDS[at % 8]}\n\n{words}\n"
            (tmp_path / name / f"{at:02}.eml").write_text(raw)
    return tmp_path


def test_what_reaches_a_person_is_counted_with_and_without_what_was_learned(mail, capsys):
    options = ["--spam", str(mail / "spam"), "--honest", str(mail / "honest"), "--draws", "1"]
    assert main(options) == 0
    told = capsys.readouterr().out
    assert "1500 decisions, draw 1" in told
    held = [line for line in told.splitlines() if line.strip().startswith("honest")]
    assert "held besides 0.00%" in held[0]
    assert "expected calibration error" in told


def test_kinds_are_drawn_taught_and_asked(tmp_path, capsys):
    lines = [f"{word}\tthe {word} number {at} is late" for word in WORDS[:3] for at in range(40)]
    (tmp_path / "kinds.txt").write_text("\n".join(lines))
    assert main(["--kinds", str(tmp_path / "kinds.txt")]) == 0
    told = capsys.readouterr().out
    assert "on average 1.000 right, calibration error 0.0" in told
    assert "given 1.000, of which right 1.000" in told
