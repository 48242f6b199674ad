"""What the filters call flagged, a row shows with a ⚑, and so does the page; and nothing else does."""

import itertools
import re

import pytest
from django.utils.html import escape

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.queries import read_queue
from agents.models import Approval
from inbox.admin.messages.anomalies import ANOMALIES, QUIET, describe_anomaly
from inbox.flags import FILTERS, FLAGS, ODDITIES, as_json, collect, found, title_of
from inbox.models import Message, PersonEmail
from inbox.operations.mail.incoming import receive_message
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import make_activity, propose
from tests.cases import every

pytestmark = pytest.mark.django_db

# All that may be odd about mail that came in.
CODES = sorted({*ANOMALIES, *ODDITIES} - {"authentication_failed"})
# So many pairs stand on a page of the queue.
AT_ONCE = 10


@pytest.fixture(scope="module")
def made_once(make_once):
    return make_once(make_rows)


def make_rows():
    """A mail with the proposal that answers it, to somebody whom we know, and a mail by itself."""
    lantern = factories.make_lantern()
    inbox = lantern["inbox"]
    factories.make_person(inbox.workspace, sent_count=2)
    answered = make_activity(factories.make_message(inbox, subject="Answered"))
    approval = propose(lantern["actor"], answered.message.thread)
    Approval.objects.update(checks_due=False, risk_flags=[], marks=[])
    other = make_activity(factories.make_message(inbox, subject="Alone"))
    reviewer = factories.make_person_user(lantern["workspace"], name="rhea")
    items = {"approval": approval, "activity": other}
    return {**lantern, "reviewer": reviewer, "items": items}


@pytest.fixture
def items(own_rows, db):
    return own_rows["items"]


@pytest.fixture
def listed(reviewer):
    """Return the rows of the queue for a query, by the ids of their items."""

    def rows(query=""):
        page = read_queue(viewer_of_user(reviewer), QueueCriteria.from_query(query))
        return {row.public_id: row for row in page.rows}

    return rows


@pytest.fixture
def look(client, reviewer, listed):
    """What the filters, the rows and the pages of items say of them, by the kind of each."""
    client.force_login(reviewer)

    def see(items, *codes):
        lists = [listed(f"flag={flag}") for flag in ("any", "none", *codes)]
        said = {}
        for kind, item in items.items():
            found, not_found, *by_code = (item.public_id in one for one in lists)
            # Whatever is shown has a flag or none.
            row = (lists[0] if found else lists[1])[item.public_id]
            page = client.get(row.url).content.decode()
            said[kind] = {
                "any": found,
                "not none": not not_found,
                "row": bool(row.flags),
                "page": bool(FLAGGED.search(page)),
                **dict(zip(codes, by_code, strict=True)),
            }
        return said

    return see


@pytest.fixture
def page_of(client, reviewer, listed):
    """Return the page of an item."""
    client.force_login(reviewer)
    return lambda item: client.get(listed()[item.public_id].url).content.decode()


@pytest.fixture
def several(inbox, actor, items):
    """Proposals that answer a mail each, and mails by themselves, in pairs; nothing else."""
    made = [(items["approval"], items["activity"])]
    for number in range(1, AT_ONCE):
        answered = factories.make_message(inbox, subject=f"Answered {number}")
        other = factories.make_message(inbox, subject=f"Alone {number}")
        make_activity(answered)
        made.append((propose(actor, answered.thread), make_activity(other)))
    Approval.objects.update(checks_due=False, risk_flags=[], marks=[])
    return made


@pytest.fixture
def proposed(items):
    return {"approval": items["approval"]}


# A sign at a flag, at a claim that differs, at a warning, or at an address.
FLAGGED = re.compile(
    r'⚑|class="claim claim-differs"|class="recipient">(?:(?!recipient-more).)*?chip-(?:flag|bad)',
    re.DOTALL,
)
NOT_FLAGGED = {"any": False, "not none": False, "row": False, "page": False}


def flagged(*codes):
    return {**dict.fromkeys(NOT_FLAGGED, True), **dict.fromkeys(codes, True)}


def test_nothing_odd_is_flagged_nowhere(items, look):
    assert look(items) == dict.fromkeys(items, NOT_FLAGGED)


def raised(code):
    reason = next(iter(FLAGS[code].reasons))
    names = re.findall(r"%\((\w+)\)s", FLAGS[code].reasons[reason])
    # No code that is only told of is found.
    return found(code, reason, **dict.fromkeys(names, '"flag": "none of these"'))


def mail_of(item):
    """The mail that a proposal answers, or that an activity is about."""
    answers = isinstance(item, Approval)
    return item.submission.draft.in_reply_to if answers else item.message


def in_turns(codes):
    """So many codes at once as there are items to have them."""
    given = list(codes)
    return [given[start : start + AT_ONCE] for start in range(0, len(given), AT_ONCE)]


def assert_listed(listed, flagged, others):
    """Assert that the filters find each item by its own code alone, and that rows show which are."""
    one, none = listed("flag=any"), listed("flag=none")
    ids = {code: {item.public_id for item in own} for code, own in flagged.items()}
    assert set(one) == set().union(*ids.values())
    assert set(none) == {item.public_id for item in others}
    assert [row for row in one.values() if not row.flags] == []
    assert [row for row in none.values() if row.flags] == []
    for code, own in ids.items():
        assert set(listed(f"flag={code}")) == own, code


def test_each_flag_of_the_registry_is_the_same_in_lists(several, listed):
    for codes in in_turns(FLAGS):
        Approval.objects.update(risk_flags=[])
        of_code = dict(zip(codes, several, strict=False))
        for code, (approval, _) in of_code.items():
            flags = as_json(collect([raised(code)]))
            Approval.objects.filter(pk=approval.pk).update(risk_flags=flags)
        own = {code: [approval] for code, (approval, _) in of_code.items()}
        rest = several[len(codes) :]
        others = [activity for _, activity in several] + [approval for approval, _ in rest]
        assert_listed(listed, own, others)


def test_each_flag_of_the_registry_is_marked_on_the_page(proposed, page_of):
    Approval.objects.update(risk_flags=as_json(collect(map(raised, FLAGS))))
    shown = page_of(proposed["approval"])
    marked = re.findall(r">⚑\d+</span>\s*<strong>(.*?)</strong>", shown)
    assert sorted(marked) == sorted(escape(title_of(code)) for code in FLAGS)


def test_each_flag_of_the_registry_alone_is_the_same_everywhere(proposed, look):
    for code in [*FLAGS][:: every(1)]:
        Approval.objects.update(risk_flags=as_json(collect([raised(code)])))
        assert look(proposed, code) == {"approval": flagged(code)}, code


def test_what_is_odd_about_mail_is_the_same_in_lists(several, listed):
    for codes in in_turns(CODES):
        Message.objects.update(anomalies=[])
        for code, pair in zip(codes, several, strict=False):
            seen = [mail_of(item).pk for item in pair]
            Message.objects.filter(pk__in=seen).update(anomalies=[code])
        of_code = dict(zip(codes, several, strict=False))
        own = {code: pair for code, pair in of_code.items() if code not in QUIET}
        quiet = [pair for code, pair in of_code.items() if code in QUIET]
        others = itertools.chain(*quiet, *several[len(codes) :])
        assert_listed(listed, own, others)
        assert [code for code in codes if code in QUIET and listed(f"flag={code}")] == []


def test_what_is_odd_about_mail_is_marked_on_the_page(items, page_of):
    loud = [code for code in CODES if code not in QUIET]
    Message.objects.update(anomalies=[*loud, *QUIET])
    expected = sorted(escape(describe_anomaly(code)) for code in loud)
    for item in items.values():
        marked = re.findall(r"<p>⚑ (.*?)</p>", page_of(item))
        assert sorted(marked) == expected


def test_what_is_odd_about_mail_alone_is_the_same_everywhere(items, look):
    for code in CODES[:: every(1)]:
        Message.objects.update(anomalies=[code])
        said = {**NOT_FLAGGED, code: False} if code in QUIET else flagged(code)
        assert look(items, code) == dict.fromkeys(items, said), code


def test_what_is_quietly_odd_is_marked_nowhere(items, look):
    Message.objects.update(anomalies=sorted(QUIET))
    assert look(items) == dict.fromkeys(items, NOT_FLAGGED)


def test_a_sender_who_was_not_confirmed_is_the_same_everywhere(items, look):
    Message.objects.update(authentication="fail")
    code = "authentication_failed"
    assert look(items, code) == dict.fromkeys(items, flagged(code))


def test_a_mark_at_an_address_is_the_same_everywhere(proposed, look):
    PersonEmail.objects.update(sent_count=0)
    assert look(proposed, "new_recipient") == {"approval": flagged("new_recipient")}
    workspace = proposed["approval"].workspace
    factories.make_person(workspace, "ada@custorner.example", sent_count=3)
    codes = ("new_recipient", "lookalike_sender")
    assert look(proposed, *codes) == {"approval": flagged(*codes)}


def test_a_mark_beside_a_flag_is_found_too(proposed, look):
    Approval.objects.update(risk_flags=as_json(collect([found("external_link", "host", host="x")])))
    PersonEmail.objects.update(sent_count=0)
    codes = ("external_link", "new_recipient")
    assert look(proposed, *codes) == {"approval": flagged(*codes)}


@pytest.mark.parametrize(
    ("state", "counts"), [("differs", True), ("nowhere", False), ("found", False)]
)
def test_a_claim_that_differs_is_the_same_everywhere(proposed, look, state, counts):
    claim = {"kind": "amount", "part": "body", "excerpt": "Friday", "start": 0, "end": 6,
             "state": state, "expected": "Monday", "sources": []}  # fmt: skip
    Approval.objects.update(marks=[claim])
    expected = flagged("differs") if counts else {**NOT_FLAGGED, "differs": False}
    assert look(proposed, "differs") == {"approval": expected}


def test_what_is_decided_is_flagged_by_what_was_sealed_alone(items, look, client, reviewer):
    PersonEmail.objects.update(sent_count=0)
    Approval.objects.update(state="rejected")
    client.force_login(reviewer)
    for flag, number in (("any", 0), ("none", 1), ("new_recipient", 0)):
        rows = client.get("/admin/", {"tab": "done", "flag": flag}).context["page"].rows
        assert len(rows) == number


LINK = b"""From: Ada <ada@customer.example>
To: office@lantern.example
Subject: Your account
Message-ID: <one@customer.example>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/html

<p>Sign in at <a href="https://evil.example/">www.bank.example</a>.</p>
--b
Content-Type: application/octet-stream; name="invoice.exe"
Content-Disposition: attachment; filename="invoice.exe"

MZ
--b--
"""


def test_what_a_page_warns_of_is_kept_when_mail_comes_in(inbox, look, items):
    message = receive_message(inbox=inbox, raw=LINK)
    assert {"misleading_link", "risky_attachment"} <= set(message.anomalies)
    codes = ("misleading_link", "risky_attachment")
    assert look({"activity": make_activity(message)}, *codes) == {"activity": flagged(*codes)}


def test_the_page_of_the_queue_shows_the_rows_that_are_flagged(items, client, reviewer):
    """What the others read of the rows, as somebody sees it who asks for the page."""
    Message.objects.update(anomalies=[next(code for code in CODES if code not in QUIET)])
    client.force_login(reviewer)
    for query, number in (({}, 2), ({"flag": "any"}, 2), ({"flag": "none"}, 0)):
        page = client.get("/admin/", query)
        rows = page.context["page"].rows
        assert len(rows) == number
        assert page.content.decode().count("chip chip-flag") == number
        assert all(row.flags for row in rows)


def test_each_filter_by_a_flag_is_one_of_something(items):
    assert set(FILTERS) <= {*FLAGS, *ODDITIES}
