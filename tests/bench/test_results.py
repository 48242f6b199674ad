import pytest

from bench import results
from bench.results import Result, hand_over, keep, percentile, take_over

ONE = Result("import", "900 messages/s", "notmuch 400 messages/s", "2.25", "≥ 1.0", True)


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setattr(results, "RESULTS", tmp_path / "RESULTS.md")
    return tmp_path / "RESULTS.md"


def test_a_run_is_put_above_the_earlier_ones(page):
    keep([ONE], 0.1)
    keep([Result("search", "9 ms", "notmuch 30 ms", "0.30", "≤ 3", met=False)], 0.1)
    text = page.read_text()
    assert text.count("# Results") == 1
    assert text.index("| search | 9 ms | notmuch 30 ms | 0.30 | ≤ 3 | NO |") < text.index(
        "| import |"
    )


def test_a_missing_anchor_is_said():
    assert (
        Result("import", "900", "notmuch is not installed", "–", "≥ 1", None).verdict
        == "not measured"
    )


def test_results_pass_between_processes(capsys):
    hand_over([ONE])
    assert take_over(f"chatter\n{capsys.readouterr().out}") == [ONE]


def test_a_percentile_is_a_time_that_was_measured():
    times = [float(number) for number in range(1, 101)]
    assert (percentile(times, 50), percentile(times, 95), percentile([3.0], 95)) == (50, 95, 3)
