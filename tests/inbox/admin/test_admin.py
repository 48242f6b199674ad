"""The reading pages, and the rest of the admin: who sees what, and who may set up what."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from agents.models import Agent, Token
from inbox.admin.messages.downloads import plain_filename
from inbox.models import (
    Attachment,
    ReplyPolicy,
    ReplyPolicyVersion,
    Role,
    store_blob,
)
from tests import factories

pytestmark = pytest.mark.django_db


def sign_in(user: User, **options) -> Client:
    client = Client(**options)
    client.force_login(user)
    return client


@pytest.fixture
def owner(workspace) -> Client:
    return sign_in(factories.make_person_user(workspace, Role.OWNER))


@pytest.fixture
def viewer(workspace) -> Client:
    return sign_in(factories.make_person_user(workspace, Role.VIEWER))


@pytest.fixture
def stranger(db) -> Client:
    return sign_in(factories.make_person_user(factories.make_workspace(), Role.OWNER))


@pytest.fixture
def message(inbox):
    made = factories.make_message(inbox, html="<p>Hello <script>alert(1)</script><b>there</b></p>")
    blob = store_blob(inbox.workspace_id, b"%PDF-1.7")
    Attachment.objects.create(
        workspace=inbox.workspace, message=made, blob=blob, position=0, content_type="text/html",
        filename='../../etc/"pass\r\nwd\u202efdp.exe', size=8, received_at=made.received_at,
    )  # fmt: skip
    return made


# -- reading -----------------------------------------------------------------------------------


def test_a_thread_is_read_oldest_first_with_quotes_folded(viewer, message):
    quoted = "Thanks!\n\n> Could you send me the offer by Friday?"
    later = factories.make_message(message.inbox, thread=message.thread, text=quoted)
    type(later).objects.filter(pk=later.pk).update(new_text="Thanks!")
    response = viewer.get(f"/admin/threads/{message.thread.public_id}/")
    first, second = response.context["readings"]
    assert (first.message, second.new) == (message, "Thanks!")
    assert second.quoted.startswith("> Could you")


def test_a_thread_that_was_joined_leads_to_the_other(viewer, message):
    old = factories.make_message(message.inbox).thread
    type(old).objects.filter(pk=old.pk).update(merged_into=message.thread)
    response = viewer.get(f"/admin/threads/{old.public_id}/")
    assert response["Location"] == f"/admin/threads/{message.thread.public_id}/"


def test_a_message_leads_to_its_place_in_the_thread(viewer, message):
    response = viewer.get(f"/admin/messages/{message.public_id}/")
    assert response["Location"] == f"/admin/threads/{message.thread.public_id}/#{message.public_id}"


def test_the_html_of_a_message_is_cleaned_and_locked_in(viewer, message):
    response = viewer.get(f"/admin/messages/{message.public_id}/html/")
    policy = response["Content-Security-Policy"]
    assert policy.startswith("sandbox; default-src 'none'; style-src 'self'")
    assert "script" not in response.content.decode()
    assert "<b>there</b>" in response.content.decode()


def test_the_source_is_a_text_to_download_byte_for_byte(viewer, message):
    response = viewer.get(f"/admin/messages/{message.public_id}/source/")
    assert response.content == message.blob.read()
    assert response["Content-Type"].startswith("text/plain")
    assert response["Content-Disposition"].startswith("attachment")
    assert response["Content-Security-Policy"].startswith("sandbox")


def test_an_attachment_is_a_download_under_a_harmless_name(viewer, message):
    file = message.attachments.get()
    response = viewer.get(f"/admin/attachments/{file.public_id}/")
    assert response.content == b"%PDF-1.7"
    assert response["Content-Type"] == "application/octet-stream"
    assert response["X-Content-Type-Options"] == "nosniff"
    disposition = response["Content-Disposition"]
    assert disposition.startswith("attachment")
    assert not set("/\\\r\n\u202e") & set(disposition)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", "attachment"),
        ("...", "attachment"),
        ("../../x.pdf", "_.._x.pdf"),
        ("a\x00b\u202ecod.exe", "abcod.exe"),
        ("報告.pdf", "報告.pdf"),
        ("n" * 400 + ".pdf", "n" * 146 + ".pdf"),
    ],
)
def test_a_file_name_from_mail_is_data(given, expected):
    assert plain_filename(given) == expected


def test_reading_pages_of_others_are_not_there(stranger, message):
    file = message.attachments.get()
    for place in (
        f"threads/{message.thread.public_id}/", f"messages/{message.public_id}/",
        f"messages/{message.public_id}/html/", f"messages/{message.public_id}/source/",
        f"attachments/{file.public_id}/", "threads/thr_nothing/", "messages/x/html/",
    ):  # fmt: skip
        assert stranger.get(f"/admin/{place}").status_code == 404, place


def test_a_thread_costs_the_same_queries_however_long(
    viewer, message, django_assert_max_num_queries
):
    place = f"/admin/threads/{message.thread.public_id}/"
    viewer.get(place)
    with django_assert_max_num_queries(10) as few:
        viewer.get(place)
    for number in range(30):
        factories.make_message(message.inbox, thread=message.thread, text=str(number))
    with django_assert_max_num_queries(len(few.captured_queries)):
        viewer.get(place)


# -- lists and forms ---------------------------------------------------------------------------


def test_a_superuser_sees_no_workspace_that_they_are_not_in(client, admin_user, message):
    client.force_login(admin_user)
    response = client.get("/admin/inbox/thread/")
    # Where everybody begins they are led to a workspace of their own; elsewhere there is nothing.
    assert (response.status_code, response["Location"]) == (302, "/admin/start/workspace/")
    assert client.get("/admin/inbox/message/").status_code == 403
    assert client.get(f"/admin/threads/{message.thread.public_id}/").status_code == 404


def test_everything_lists_what_there_is(viewer, message):
    text = viewer.get("/admin/all/").content.decode()
    assert "Reply policies" in text
    assert "Receipts" in text


# -- setting up --------------------------------------------------------------------------------


def policy(workspace, **changes):
    return {"workspace": workspace.pk, "name": "Careful", "source": "tone: formal\n", **changes}


def test_an_owner_saves_a_policy_as_its_next_version(owner, workspace):
    assert owner.post("/admin/inbox/replypolicy/add/", policy(workspace)).status_code == 302
    made = ReplyPolicy.objects.get(name="Careful")
    assert made.version == 1
    place = f"/admin/inbox/replypolicy/{made.pk}/change/"
    assert owner.post(place, policy(workspace, source="tone: brief\n")).status_code == 302
    made.refresh_from_db()
    assert (made.version, made.source) == (2, "tone: brief\n")
    assert ReplyPolicyVersion.objects.filter(policy=made).count() == 2


def test_a_policy_that_cannot_be_read_says_so_at_the_field(owner, workspace):
    response = owner.post(
        "/admin/inbox/replypolicy/add/", policy(workspace, source="tone: shrill\n")
    )
    assert response.status_code == 200
    assert "source" in response.context["adminform"].form.errors
    assert not ReplyPolicy.objects.filter(name="Careful").exists()


def test_an_owner_cannot_make_anything_in_another_workspace(owner):
    foreign = factories.make_workspace()
    response = owner.post("/admin/inbox/replypolicy/add/", policy(foreign))
    assert "workspace" in response.context["adminform"].form.errors


# -- agents ------------------------------------------------------------------------------------


def test_a_new_agent_s_token_is_shown_once(owner, workspace, inbox):
    answer = {
        "workspace": workspace.pk, "name": "Scribe", "description": "Writes.", "inboxes": [inbox.pk],
        "scopes": ["inbox:read"], "expires_at_0": "", "expires_at_1": "",
    }  # fmt: skip
    response = owner.post("/admin/agents/agent/add/", answer)
    text = response.context["token_text"]
    assert text in response.content.decode()
    made = Agent.objects.get(name="Scribe")
    assert made.grants.get().account == inbox.account
    page = owner.get(f"/admin/agents/agent/{made.pk}/change/").content.decode()
    assert text not in page
    assert text[:10] in page
    assert not response.cookies.get("messages")


def test_an_agent_is_paused_and_let_act_again(owner, agent):
    place = f"/admin/agents/agent/{agent.pk}/pause/"
    for to, status in (("paused", "paused"), ("active", "active")):
        owner.post(place, {"to": to})
        agent.refresh_from_db()
        assert agent.status == status


def test_a_token_is_revoked(owner, agent):
    response = owner.post(f"/admin/agents/agent/{agent.pk}/tokens/", {"scopes": ["inbox:read"]})
    assert response.context["token_text"].startswith("chy_")
    token = Token.objects.latest("id")
    owner.post(f"/admin/agents/agent/{agent.pk}/tokens/{token.pk}/revoke/")
    token.refresh_from_db()
    assert token.revoked_at is not None


@pytest.mark.parametrize("action", ["pause/", "tokens/", "tokens/1/revoke/"])
def test_setting_up_agents_is_for_owners_by_post(owner, viewer, stranger, agent, action):
    place = f"/admin/agents/agent/{agent.pk}/{action}"
    assert owner.get(place).status_code == 405
    assert viewer.post(place, {"to": "paused"}).status_code == 403
    assert stranger.post(place, {"to": "paused"}).status_code == 404
    agent.refresh_from_db()
    assert agent.status == "active"


def test_grants_follow_the_form(owner, agent, inbox):
    place = f"/admin/agents/agent/{agent.pk}/change/"
    assert owner.post(place, {"description": "x", "accounts": []}).status_code == 302
    assert agent.grants.count() == 0
    owner.post(place, {"description": "x", "accounts": [inbox.account_id]})
    assert agent.grants.count() == 1


# -- the frame ---------------------------------------------------------------------------------


def test_the_login_page_is_ours(client, reviewer):
    text = client.get("/admin/login/").content.decode()
    assert "chancery/pages." in text
    assert "<style" not in text
    assert " style=" not in text


def test_logging_out_is_a_post(viewer):
    assert viewer.get("/admin/logout/").status_code == 405
    viewer.post("/admin/logout/")
    assert viewer.get("/admin/").status_code == 302


@pytest.mark.parametrize(
    "place", ["/admin/", "/admin/all/", "/admin/inbox/thread/", "/admin/inbox/replypolicy/add/"]
)
def test_no_page_has_inline_style_or_script(owner, message, place):
    text = owner.get(place).content.decode()
    assert "<style" not in text
    assert " style=" not in text
    assert "<script>" not in text
    assert "javascript:" not in text
