"""Notices in a real browser: set, allowed, and told to one open page, which tells the others."""

import pytest
from playwright.sync_api import expect

from agents.models import NoticeSettings
from agents.notices.bundling import make_bundles
from agents.notices.collecting import note_approval
from tests import factories
from tests.agents.admin.desk import propose

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
PHONE = {"viewport": {"width": 390, "height": 844}}
PLACE = "/admin/me/notices/"


@pytest.mark.parametrize("desk", [{}, PHONE], ids=["desktop", "phone"], indirect=True)
def test_quiet_hours_are_set_and_unfold_where_they_are_wanted(desk):
    page = desk.page
    desk.open(PLACE)
    expect(page.get_by_label("Time zone")).to_be_hidden()
    page.get_by_label("Quiet hours").check()
    page.get_by_label("Time zone").select_option("Europe/Berlin")
    page.get_by_label("Sun", exact=True).uncheck()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    settings = NoticeSettings.objects.get()
    assert settings.quiet_zone == "Europe/Berlin"
    assert 6 not in settings.quiet_days
    assert not desk.overflows()


def test_news_comes_to_the_title_to_the_foot_and_as_a_notification(desk, inbox, actor, reviewer):
    page = desk.page
    NoticeSettings.objects.create(user=reviewer, kinds=["approval"], by_browser=True)
    page.context.grant_permissions(["notifications"], origin=desk.url)
    page.add_init_script(
        "window.told = []; const Real = window.Notification;"
        "window.Notification = class { constructor(t, o) { told.push([t, o.body]); } };"
        "Notification.permission = 'granted';"
        "Notification.requestPermission = async () => 'granted';"
    )
    desk.open(PLACE)
    page.get_by_role("button", name="Allow in this browser").click()
    expect(page.get_by_text("This browser shows notifications.")).to_be_visible()
    with page.expect_response("**/me/notices/state/**"):
        desk.open("/admin/")
    approval = propose(actor, factories.make_message(inbox).thread)
    note_approval({"approval_id": approval.pk})
    assert make_bundles() == 1
    desk.open("/admin/")
    expect(page).to_have_title("(1) Needs you · Chancery")
    link = page.get_by_role("status").get_by_role("link", name="1 proposal needs approval")
    expect(link).to_be_visible()
    assert page.evaluate("told")[0][0] == "1 proposal needs approval"
    link.click()
    page.wait_for_url(f"**/admin/review/{approval.public_id}/")


def test_of_two_open_pages_one_asks(desk):
    first, asked = desk.page, []
    second = first.context.new_page()
    for page in (first, second):
        page.on(
            "request",
            lambda request: asked.append(request.url) if "/state/" in request.url else None,
        )
    with first.expect_response("**/me/notices/state/**"):
        first.goto(f"{desk.url}/admin/")
    asked.clear()
    second.goto(f"{desk.url}/admin/")
    # What must not happen would happen after a second and a half.
    second.evaluate("new Promise((done) => setTimeout(done, 3000))")
    assert asked == []
