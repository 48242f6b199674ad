"""One registry of flags: whoever adds one has given it words, a place in filters and policies."""

import ast
import re
from pathlib import Path

import pytest
from django.utils import translation

from agents.admin.evidence.words import flag_in_words
from inbox.admin.messages.anomalies import describe_anomaly
from inbox.flags import CONDITIONS, FILTERS, FLAGS, ODDITIES, OF_CALLS, found, read_flags
from inbox.flags.finding import MOST_KEPT, as_json, collect
from inbox.flags.terms import SENSITIVE
from inbox.policies import read_policy
from inbox.policies.sensitive import KINDS
from project.settings import BASE_DIR
from tests.cases import in_one_test

NAME = re.compile(r"%\((\w+)\)s")
EVERY = [(code, reason) for code, kind in FLAGS.items() for reason in kind.reasons]
# Those that are found in the sealed bytes, and not in a draft.
OF_SEALED = {"read_differently", "uninspectable"}
each_flag = in_one_test("code", FLAGS)
each_oddity = in_one_test("code", ODDITIES)
each_sentence = in_one_test(("code", "reason"), EVERY)


def make(code, reason, **fields):
    names = NAME.findall(FLAGS[code].reasons[reason])
    return found(code, reason, **{name: f"<{name}>" for name in names}, **fields)


# -- what each has -------------------------------------------------------------------------------


@each_flag
def test_each_flag_has_a_title_in_german_too(code):
    title = FLAGS[code].title
    assert title
    with translation.override("de"):
        assert translation.gettext(title) != title


@each_oddity
def test_each_oddity_of_mail_that_came_in_has_a_title_and_a_sentence_in_german(code):
    with translation.override("en"):
        english = {flag_in_words(code), describe_anomaly(code)}
    with translation.override("de"):
        assert not english & {flag_in_words(code), describe_anomaly(code)}


@each_oddity
def test_the_queue_filters_by_each_oddity_and_no_policy_names_one(code):
    assert code in FILTERS
    with pytest.raises(ValueError, match="unknown condition"):
        read_policy(f"approval:\n  required_when: [{code}]")


@each_oddity
def test_no_flag_of_what_leaves_has_the_code_of_an_oddity(code):
    assert code not in FLAGS


@each_sentence
def test_each_sentence_is_told_in_german_with_all_that_stands_in_it(code, reason):
    finding = make(code, reason)
    with translation.override("de"):
        words = finding.words
    assert (words != finding.english) is bool(NAME.sub("", FLAGS[code].reasons[reason]))
    assert all(name in words for name in re.findall("<[a-z]+>", finding.english))


@in_one_test("words", SENSITIVE.values())
def test_each_kind_of_sensitive_data_is_told_in_german(words):
    with translation.override("de"):
        assert translation.gettext(words) != words


def test_each_kind_of_sensitive_data_that_is_looked_for_has_words():
    assert set(SENSITIVE) == set(KINDS)


@in_one_test("code", sorted(OF_SEALED))
def test_what_makes_a_message_unreadable_is_high(code):
    assert FLAGS[code].severity == "high"


@in_one_test("code", sorted(OF_SEALED | OF_CALLS))
def test_what_only_sealing_or_a_call_knows_is_no_condition_of_a_policy(code):
    """A policy is asked of a draft, when nothing is sealed yet; such a condition would never hold."""
    with pytest.raises(ValueError, match="unknown condition"):
        read_policy(f"approval:\n  required_when: [{code}]")


@in_one_test("code", sorted(set(FLAGS) - OF_SEALED - OF_CALLS))
def test_each_flag_of_a_draft_may_stand_in_required_when(code):
    assert code in CONDITIONS
    assert read_policy(f"approval:\n  required_when: [{code}]").needs_approval("", {code}, 1.0)


@each_flag
def test_each_flag_is_one_that_the_queue_filters_by(code):
    assert code in FILTERS


@each_flag
def test_each_flag_is_high_medium_or_low_and_the_gravest_come_first(code):
    ranks = [("high", "medium", "low").index(kind.severity) for kind in FLAGS.values()]
    assert ranks == sorted(ranks)


@each_flag
def test_what_only_composing_knows_is_one_of_the_flag_s_reasons(code):
    assert FLAGS[code].of_composing <= set(FLAGS[code].reasons)


def test_all_that_the_code_raises_is_declared():
    raised = [
        (call.args[0].value, call.args[1].value)
        for app in ("inbox", "calendar_app", "agents")
        for path in sorted((BASE_DIR / app).rglob("*.py"))
        for call in calls_of_found(path)
        if isinstance(call.args[0], ast.Constant) and isinstance(call.args[1], ast.Constant)
    ]
    assert len(raised) > 10
    assert set(raised) <= set(EVERY)


def calls_of_found(path: Path):
    code = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(code if "found" in code else "")):
        if (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", "") == "found"
            and len(node.args) > 1
        ):
            yield node


# -- findings ------------------------------------------------------------------------------------


def test_a_reason_that_nobody_declared_cannot_be_raised():
    with pytest.raises(KeyError):
        found("new_recipient", "because")
    with pytest.raises(KeyError):
        found("odd", "new")
    with pytest.raises(ValueError, match="takes"):
        found("external_link", "host")
    with pytest.raises(ValueError, match="takes"):
        found("new_recipient", "new", host="x.example")


@each_sentence
def test_what_is_kept_is_read_back_the_same(code, reason):
    flags = collect([make(code, reason, excerpt="these words", source="msg_1")])
    assert read_flags(as_json(flags)) == flags


def test_words_are_made_where_they_are_shown_and_not_where_they_are_found():
    with translation.override("de"):
        finding = found("contains_sensitive_data", "holds", what="iban")
    assert finding.english == "It seems to contain a bank account (IBAN)."
    with translation.override("de"):
        assert finding.words == "Darin steht anscheinend eine Bankverbindung (IBAN)."


def test_what_a_stranger_wrote_into_a_sentence_stays_as_it_is():
    finding = found("external_link", "host", host="%(count)s%s.example")
    assert finding.english == "It links to %(count)s%s.example."
    again = found("contains_sensitive_data", "holds", what="<b>own</b> %d")
    assert again.english == "It seems to contain <b>own</b> %d."


def test_the_same_twice_is_one_and_keeps_its_source():
    one = found("new_recipient", "new", excerpt="a@b.example")
    two = found("new_recipient", "new", excerpt="a@b.example", source="msg_1")
    (flag,) = collect([one, two, one])
    assert flag.findings == (two,)


def test_of_more_than_can_be_kept_all_are_counted():
    links = (found("external_link", "host", host=f"h{n}.example") for n in range(MOST_KEPT + 5))
    (flag,) = collect(links)
    (again,) = read_flags(as_json([flag]))
    assert (again.count, len(again.findings), again.more) == (MOST_KEPT + 5, MOST_KEPT, 5)


@pytest.mark.parametrize(
    "row",
    [
        {"flag": "new_recipient", "reason": "Never.", "excerpt": "", "source": None},
        {"flag": "no_more", "reason": "Never."},
        {"flag": "new_recipient", "items": [{"reason": "no_more", "params": {"words": "Never."}}]},
    ],
)
def test_a_row_from_before_is_read_with_its_sentence(row):
    (flag,) = read_flags([row])
    assert (flag.flag, flag.findings[0].words) == (row["flag"], "Never.")
    assert flag.title


@in_one_test(
    "row",
    [None, 1, "x", [], {"flag": "too_long", "items": [None, 1]}, {"flag": None, "count": "x"}],
)
def test_a_row_that_is_none_breaks_nothing(row):
    assert len(read_flags([row])) <= 1


def test_a_flag_that_has_lost_its_items_is_still_one():
    assert [flag.flag for flag in read_flags([{"flag": "hidden_text", "items": []}])] == [
        "hidden_text"
    ]
