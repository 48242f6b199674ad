"""Mail that was stored before has its words in other forms, a few messages at a time."""

import pytest

from inbox.models import Job, Message
from inbox.operations.mail.search_forms import renew_forms
from tests import factories

pytestmark = pytest.mark.django_db


def test_earlier_mail_is_prepared_and_what_needs_nothing_is_left_alone(inbox):
    german = factories.make_message(inbox, text="Anbei die Rechnungen.")
    english = factories.make_message(inbox, text="The invoices are attached.")
    Message.objects.filter(pk=german.pk).update(language="de", search_extra="")
    Message.objects.filter(pk=english.pk).update(language="en", search_extra="")
    renew_forms({"after": 0})
    german.refresh_from_db()
    english.refresh_from_db()
    assert "zzrechnung" in german.search_extra.split()
    assert english.search_extra == ""
    assert not Job.objects.filter(kind="search.forms").exists()


def test_each_job_goes_on_where_the_one_before_ended(inbox, monkeypatch):
    monkeypatch.setattr("inbox.operations.renewing.AT_ONCE", 2)
    made = [factories.make_message(inbox, text="Viele Grüße") for _ in range(3)]
    Message.objects.update(search_extra="")
    renew_forms({"after": 0})
    renew_forms({"after": 0})
    job = Job.objects.get(kind="search.forms")
    assert job.payload == {"after": made[1].pk}
    renew_forms(job.payload)
    assert all("gruesse" in row.search_extra for row in Message.objects.all())
    assert Job.objects.filter(kind="search.forms").count() == 1
