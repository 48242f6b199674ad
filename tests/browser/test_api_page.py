"""The page of the API in a real browser, under the site's own policy."""

import pytest

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def page(chromium):
    context = chromium.new_context()
    yield context.new_page()
    context.close()


def test_the_api_s_page_shows_the_tools_and_breaks_no_rule(live_server, page):
    problems = []
    elsewhere = []
    page.on(
        "console",
        lambda message: problems.append(message.text) if message.type == "error" else None,
    )
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: elsewhere.append(request.url))
    page.goto(f"{live_server.url}/api/docs")
    page.click("[data-tag=mail]", timeout=30000)
    page.wait_for_selector('[data-path="/api/tools/send_reply"]', timeout=30000)
    page.click('[data-path="/api/tools/list_threads"]')
    page.wait_for_selector("text=inb_8fXoQ2mKpL")
    assert problems == []
    assert all(url.startswith((live_server.url, "data:", "blob:")) for url in elsewhere)
