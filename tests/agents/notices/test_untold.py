"""The queue says where nobody would be told that something waits, at the cost of no query."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone

from agents.models import NoticeSettings, PushSubscription
from inbox.models import Membership, Role
from inbox.viewer import viewer_of_user
from tests import factories

pytestmark = pytest.mark.django_db
WORDS = "No one is notified when something needs approval in"


def is_said(client, place="/admin/") -> bool:
    return WORDS in client.get(place).content.decode()


def test_it_is_said_until_somebody_who_decides_has_a_way_that_works(client, reviewer, settings):
    client.force_login(reviewer)
    assert is_said(client)
    assert not is_said(client, "/admin/me/")
    made = NoticeSettings.objects.create(user=reviewer, kinds=["approval"])
    settings.NOTIFY_SMTP = "smtp://127.0.0.1"
    off = {"by_mail": False, "by_webhook": False, "by_browser": False, "mail_confirmed_at": None}
    cases = [
        (True, {"by_mail": True}),
        (False, {"by_mail": True, "mail_confirmed_at": timezone.now()}),
        (True, {"by_webhook": True}),
        (False, {"by_webhook": True, "webhook_url": "https://chat.example/1"}),
        (False, {"by_browser": True}),
        (True, {"by_browser": True, "kinds": []}),
    ]
    for said, change in cases:
        NoticeSettings.objects.update(**{**off, "webhook_url": "", "kinds": ["approval"], **change})
        assert is_said(client) is said, change
    NoticeSettings.objects.update(**off, kinds=["approval"])
    PushSubscription.objects.create(
        user=reviewer, endpoint="https://push.example/1", digest="1", created_at=timezone.now()
    )
    assert not is_said(client)
    made.workspaces.set([factories.make_workspace("another")])
    assert is_said(client)


def test_mail_that_cannot_leave_and_whoever_may_not_decide_count_for_nothing(
    client, reviewer, workspace, settings
):
    settings.NOTIFY_SMTP = ""
    NoticeSettings.objects.create(
        user=reviewer, kinds=["approval"], by_mail=True, mail_confirmed_at=timezone.now()
    )
    viewer = factories.make_person_user(workspace, Role.VIEWER, "vera")
    NoticeSettings.objects.create(user=viewer, kinds=["approval"], by_browser=True)
    client.force_login(reviewer)
    assert is_said(client)
    client.force_login(viewer)
    assert not is_said(client)


def test_it_is_read_along_with_the_memberships(reviewer, django_assert_num_queries):
    with django_assert_num_queries(1):
        viewer = viewer_of_user(reviewer)
    assert viewer.untold == set(Membership.objects.values_list("workspace_id", flat=True))
    assert viewer_of_user(AnonymousUser()).untold == set()
