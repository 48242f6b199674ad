"""What is found in the letters that rules are made for, counted as the bench counts it."""

from bench.understanding.extraction import layouts
from bench.understanding.extraction.__main__ import by_hand, count
from bench.understanding.extraction.facts import facts_for, packs


def test_nearly_all_values_are_found_and_hardly_any_is_wrong():
    drawn = [it for it in layouts.LAYOUTS if it is not layouts.pdf_invoice]
    languages = [code for code, pack in packs().items() if "tuned" in pack]
    letters = [
        layout(facts_for(code, "tuned", f"{layout.__name__} 0"))
        for code in languages for layout in drawn
    ]  # fmt: skip
    score = count([*letters, *by_hand("tuned")], failures=False)["all"]
    assert score.found >= 0.96, score
    assert score.precision >= 0.98, score
