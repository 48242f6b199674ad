"""What the measurement of classifying counts."""

from pathlib import Path

from bench.understanding.classifying import main
from bench.understanding.halves import half_of, split_by
from bench.understanding.sentences import calibration, f1

PHISHING = """From: Parcel Desk <x1@yard.example>
To: ann@hill.example
Subject: Your parcel

Your account has been suspended. Verify your password: http://yard.example/login
"""


def test_senders_of_one_domain_are_in_one_half_and_a_single_house_goes_by_addresses():
    strangers = [f"{name}@{name}.example" for name in ("ann", "ben", "cem", "dot", "eva")]
    assert split_by(strangers) == [half_of(name.partition("@")[2]) for name in strangers]
    house = [f"{number}@hill.example" for number in range(40)]
    assert set(split_by(house)) == {"tuning", "other"}


def test_f1_and_calibration_by_hand():
    found = [(True, 0.9), (True, 0.2), (False, 0.6), (False, 0.1)]
    assert f1(found) == 0.5
    assert abs(calibration([(True, 0.95), (False, 0.95)]) - 0.45) < 1e-9
    assert f1([]) == calibration([]) == 0


def test_a_folder_is_read_and_told(tmp_path: Path, capsys):
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "1.eml").write_text(PHISHING)
    (tmp_path / "said.txt").write_text("Yes\tPlease call me.\nNo\tIt rained.\n")
    main(["--phishing", str(tmp_path / "mail"), "--sentences", str(tmp_path / "said.txt")])
    told = capsys.readouterr().out
    assert "1 messages" in told
    assert "named as harmful  100.0%" in told
    assert "F1" in told
