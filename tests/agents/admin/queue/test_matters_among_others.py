"""A mail and its answer as one matter, in the queue with others; and a mail without an answer."""

import pytest

from agents.admin.queue.criteria import QueueCriteria
from agents.admin.queue.neighbours import neighbours
from agents.admin.queue.queries import read_queue
from inbox.viewer import viewer_of_user
from tests import factories
from tests.agents.admin.desk import make_activity, propose
from tests.agents.admin.queue.test_matters import MAIL, make_mail, queue, rows

__all__ = ["queue"]
pytestmark = pytest.mark.django_db


def test_mail_that_nothing_answers_is_a_row_of_its_own(queue, inbox):
    make_mail(inbox)
    assert rows(queue()) == [MAIL]


def test_the_answer_to_urgent_mail_stands_before_what_can_wait(queue, inbox, actor):
    calm = factories.make_message(inbox, subject="calm")
    burning = factories.make_message(inbox, subject="burning")
    make_activity(calm)
    make_activity(burning, urgency="high")
    propose(actor, calm.thread)
    make_activity(factories.make_message(inbox, subject="fire"), urgency="high")
    propose(actor, burning.thread)
    found = queue()
    assert [what for _, what in rows(found)] == ["Re: burning", "fire", "Re: calm"]
    assert [row.urgency for row in found["page"].rows] == ["high", "high", "normal"]


def test_pages_and_neighbours_go_over_it_once(inbox, actor, reviewer):
    for number in range(6):
        message = factories.make_message(inbox, subject=f"n{number}")
        make_activity(message)
        if number % 2:
            propose(actor, message.thread)
    viewer, wanted = viewer_of_user(reviewer), QueueCriteria()
    whole = read_queue(viewer, wanted).rows
    assert sorted(row.what for row in whole) == ["Re: n1", "Re: n3", "Re: n5", "n0", "n2", "n4"]
    found, place = [], None
    while not found or place:
        page = read_queue(viewer, wanted, place, size=1)
        found += page.rows
        place = page.rows[-1].place if page.after else None
    assert [row.public_id for row in found] == [row.public_id for row in whole]
    before, after = neighbours(viewer, wanted, whole[2].place)
    assert (before.place, after.place) == (whole[1].place, whole[3].place)
    assert (before.link, after.what) == (whole[1].link, whole[3].what)
