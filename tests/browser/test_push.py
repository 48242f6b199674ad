"""The worker of pushes in a real browser: it starts under the policy, shows a push, and opens its page."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import signed_in

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def desk(whole_chromium, live_server, client, reviewer):
    how = {"service_workers": "allow"}
    with signed_in(whole_chromium, live_server.url, how, client, reviewer) as desk:
        yield desk


def test_a_push_is_shown_and_leads_to_a_page_of_ours_only(desk):
    page = desk.page
    page.context.grant_permissions(["notifications"], origin=desk.url)
    desk.open("/admin/me/notices/")
    expect(page.get_by_role("button", name="Notify me in this browser")).to_be_visible()
    page.evaluate(
        "async () => { await navigator.serviceWorker.register('/admin/service-worker.js',"
        " {scope: '/admin/'}); await navigator.serviceWorker.ready; }"
    )
    session = page.context.new_cdp_session(page)
    found = []
    session.on(
        "ServiceWorker.workerRegistrationUpdated", lambda it: found.extend(it["registrations"])
    )
    session.send("ServiceWorker.enable")
    page.wait_for_timeout(300)
    registration = found[0]["registrationId"]

    def push(text: str) -> list:
        told = {"origin": desk.url, "registrationId": registration, "data": text}
        session.send("ServiceWorker.deliverPushMessage", told)
        page.wait_for_timeout(300)
        return page.evaluate(
            "async () => { const worker = await navigator.serviceWorker.ready;"
            " return (await worker.getNotifications()).map((one) => [one.title, one.data.path]); }"
        )

    assert push('{"title": "1 proposal needs approval", "path": "/admin/review/apr_1/"}') == [
        ["1 proposal needs approval", "/admin/review/apr_1/"]
    ]
    assert push('{"title": "x", "path": "https://evil.example/admin/"}')[-1] == ["x", "/admin/"]
    assert push("no JSON")[-1] == ["Chancery", "/admin/"]
    assert page.evaluate("caches.keys()") == []
