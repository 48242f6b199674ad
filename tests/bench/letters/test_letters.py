"""The letters of a made-up office, proposed as an agent proposes them."""

from pathlib import Path

import pytest
import yaml

from agents.models import Approval
from bench.letters.corpus import read_corpus
from bench.letters.office import clock_at, make_office, written_at
from bench.letters.trying import try_letters
from calendar_app.models import Event
from inbox.models import Authentication, Direction, FileNode, Message, ReplyPolicy

pytestmark = pytest.mark.django_db
OFFICE = Path(__file__).with_name("office.yaml")


def test_wrong_letters_are_marked_at_their_wrong_words_and_good_ones_are_not():
    tried = try_letters(read_corpus(OFFICE))
    marked = {one.letter.id: [(it.excerpt, it.state) for it in one.doubts] for one in tried}
    assert marked == {
        "g1": [], "g2": [], "b1": [("LN-4417", "differs")], "b2": [("59.00 GBP", "differs")],
        "b3": [("28 November 2026", "differs")],
    }  # fmt: skip
    assert [one.is_marked for one in tried] == [not one.letter.is_good for one in tried]


def test_one_letter_is_tried_alone_and_nothing_of_it_stays():
    (one,) = try_letters(read_corpus(OFFICE), "b1")
    assert one.letter.id == "b1"
    assert not Approval.objects.exists()
    assert not Message.objects.exists()


def test_a_language_model_reads_each_letter_as_well_where_that_is_wanted(machine):
    def doubt(asked):
        (rules,) = [it for it in asked.document["texts"] if it["kind"] == "policy"]
        assert "We promise no refund" in rules["text"]
        said = asked.document["letter"]["body"].split()[-1]
        return {"marks": [{"words": said, "kind": "statement", "state": "nowhere"}]}

    machine.says(doubt)
    tried = try_letters(read_corpus(OFFICE), with_model=True)
    doubts = {one.letter.id: [it.by for it in one.doubts] for one in tried}
    assert doubts == {
        "g1": ["model"], "g2": ["model"], "b1": [None, "model"], "b2": [None, "model"],
        "b3": [None, "model"],
    }  # fmt: skip
    assert len(machine.asked) == 5


def test_an_office_has_its_mail_files_events_cards_and_rules():
    corpus = read_corpus(OFFICE)
    with clock_at(written_at(corpus)):
        office = make_office(corpus)
    first, second = Message.objects.order_by("received_at")
    assert first.authentication == Authentication.PASS
    assert first.attachments.get().filename == "order.txt"
    assert (second.direction, second.thread_id) == (Direction.OUTBOUND, first.thread_id)
    assert office.newest["t01"] == second
    assert str(first.received_at) == "2026-11-20 09:12:00+00:00"
    file = FileNode.objects.get(name="2026.csv")
    assert ("Desk lamp" in file.text, str(file.modified_at.date())) == (True, "2026-09-01")
    all_day = Event.objects.order_by("dtstart").values_list("summary", "all_day")
    assert list(all_day) == [("Stocktaking", False), ("Fair", True)]
    assert "# We promise no refund" in ReplyPolicy.objects.earliest("pk").source


def test_a_wrong_letter_whose_wrong_words_are_not_in_it_is_refused(tmp_path):
    written = yaml.safe_load(OFFICE.read_text())
    next(it for it in written["letters"] if it["id"] == "b1")["wrong"] = ["LN-9999"]
    changed = tmp_path / "changed.yaml"
    changed.write_text(yaml.safe_dump(written))
    with pytest.raises(ValueError, match="b1"):
        read_corpus(changed)
