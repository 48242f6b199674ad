"""Mail that is changed by the operations: marked, sorted, moved, deleted."""

from datetime import timedelta

import pytest
from django.utils import timezone

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.models import Approval
from inbox.background import jobs
from inbox.models import Direction, Draft, Identity, Job, Mailbox, Message, Submission, Thread
from inbox.operations.deletions import purge_deleted, restore_draft
from inbox.operations.mail.incoming import receive_message
from inbox.operations.mail.message_changes import restore_message
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def message(inbox):
    made = factories.make_message(inbox)
    place(made, "inbox")
    return made


@pytest.fixture
def ask(actor, inbox):
    def ask(tool, who=actor, **fields):
        return call(tool, {"account_id": inbox.account.public_id, **fields}, who).result

    return ask


@pytest.fixture
def update(ask, message):
    def update(**updates):
        return ask("email_update", email_id=message.public_id, updates=updates)

    return update


@pytest.fixture
def heard(monkeypatch):
    """Have each fact about mail make a job; return the facts that were published."""
    for fact in ("message.updated", "message.moved", "message.deleted", "draft.deleted"):
        monkeypatch.setitem(jobs._SUBSCRIBERS, fact, [f"heard.{fact}"])

    def heard():
        rows = Job.objects.filter(kind__startswith="heard.").order_by("pk")
        return [(job.kind.removeprefix("heard."), *job.payload.values()) for job in rows]

    return heard


def place(message, role):
    mailbox = Mailbox.objects.get(inbox=message.inbox, role=role)
    message.mailboxes.add(mailbox)
    message.thread.mailboxes.add(mailbox)


def refusal(function, *args, **fields):
    with pytest.raises(ToolError) as caught:
        function(*args, **fields)
    return caught.value


def pointer_of(error):
    return error.details.get("pointer") or error.details["errors"][0]["pointer"]


def at(time, zone="Europe/Berlin"):
    return {"dateTime": time, "timeZone": zone}


# -- marks -----------------------------------------------------------------------------------------
def test_each_mark_survives_and_is_read_back(ask, update, message):
    updates = {
        "isRead": True,
        "categories": ["Offers", "Käthe's"],
        "importance": "high",
        "inferenceClassification": "other",
        "flag": {
            "flagStatus": "flagged",
            "startDateTime": at("2026-03-02T09:00:00+01:00"),
            "dueDateTime": at("2026-03-06T18:00:00+01:00"),
        },
    }
    answer = update(**updates)
    email = ask("email_get", email_id=message.public_id, include_body=False)
    assert {**answer, "_": 0}.items() >= {k: v for k, v in email.items() if k[0] != "_"}.items()
    assert email["isRead"] is True
    assert email["categories"] == ["Käthe's", "Offers"]
    assert (email["importance"], email["inferenceClassification"]) == ("high", "other")
    assert email["flag"] == {
        "flagStatus": "flagged",
        "startDateTime": at("2026-03-02T09:00:00"),
        "dueDateTime": at("2026-03-06T18:00:00"),
    }


def test_marks_are_keywords_of_jmap(update, message):
    message.keywords = ["$answered", "Old"]
    message.save()
    update(isRead=True, categories=["New"], flag={"flagStatus": "flagged"})
    message.refresh_from_db()
    assert message.keywords == ["$answered", "$flagged", "$seen", "New"]
    update(isRead=False)
    message.refresh_from_db()
    assert message.keywords == ["$answered", "$flagged", "New"]


def test_only_what_is_given_changes(update, message):
    update(isRead=True, importance="low", categories=["A"])
    email = update(inferenceClassification="other")
    assert (email["isRead"], email["importance"], email["categories"]) == (True, "low", ["A"])


def test_a_category_stands_once_without_regard_to_case(update):
    assert update(categories=["Offers", "OFFERS", " Offers "])["categories"] == ["Offers"]


@pytest.mark.parametrize("bad", ["$seen", " ", "a\nb", "a\u202eb", "x" * 101, "a\x07"])
def test_what_is_no_category_is_refused(update, message, bad):
    error = refusal(update, isRead=True, categories=["Good", bad])
    assert (error.code, pointer_of(error)) == ("invalid_input", "/updates/categories/1")
    message.refresh_from_db()
    assert message.keywords == []


def test_categories_are_bounded(update):
    error = refusal(update, categories=[f"c{number}" for number in range(51)])
    assert pointer_of(error) == "/updates/categories"


def test_a_flag_that_is_complete_says_when(update, message):
    update(flag={"dueDateTime": at("2026-03-06T18:00:00Z")})
    flag = update(flag={"completedDateTime": at("2026-03-05T12:00:00Z", "UTC")})["flag"]
    assert flag == {
        "flagStatus": "complete",
        "dueDateTime": at("2026-03-06T19:00:00"),
        "completedDateTime": at("2026-03-05T12:00:00", "UTC"),
    }
    assert "completedDateTime" in update(flag={"flagStatus": "complete"})["flag"]
    message.refresh_from_db()
    assert "$flagged" not in message.keywords


def test_a_flag_taken_off_forgets_its_dates(update):
    update(flag={"dueDateTime": at("2026-03-06T18:00:00Z")})
    assert update(flag={"flagStatus": "notFlagged"})["flag"] == {"flagStatus": "notFlagged"}
    assert update(flag={"flagStatus": "flagged"})["flag"] == {"flagStatus": "flagged"}


def test_nothing_is_due_before_it_starts(update):
    start, due = at("2026-03-06T18:00:00+01:00"), at("2026-03-06T17:30:00Z")
    assert update(flag={"startDateTime": start, "dueDateTime": due})["flag"]["dueDateTime"]
    early = at("2026-03-06T16:59:59Z")
    error = refusal(update, flag={"startDateTime": start, "dueDateTime": early})
    assert (error.code, pointer_of(error)) == ("invalid_input", "/updates/flag/dueDateTime")
    assert pointer_of(refusal(update, flag={"dueDateTime": early})).endswith("dueDateTime")


@pytest.mark.parametrize(
    ("flag", "pointer"),
    [
        ({"startDateTime": at("2026-03-06T18:00:00")}, "startDateTime/dateTime"),
        ({"startDateTime": at("2026-03-06T18:00:00Z", "Mars/Base")}, "startDateTime/timeZone"),
        ({"dueDateTime": at("2026-03-06T18:00:00Z", "../../etc/passwd")}, "dueDateTime/timeZone"),
        ({"dueDateTime": {"dateTime": "2026-03-06T18:00:00Z"}}, "dueDateTime/timeZone"),
        ({"flagStatus": "notFlagged", "dueDateTime": at("2026-03-06T18:00:00Z")}, "flagStatus"),
        ({"flagStatus": "flagged", "completedDateTime": at("2026-03-06T18:00:00Z")},
         "completedDateTime"),
        ({"flagStatus": "done"}, "flagStatus"),
        ({"colour": "red"}, "colour"),
    ],
)  # fmt: skip
def test_a_flag_that_makes_no_sense_is_refused(update, flag, pointer):
    error = refusal(update, flag=flag)
    assert (error.code, pointer_of(error)) == ("invalid_input", f"/updates/flag/{pointer}")


@pytest.mark.parametrize("updates", [{}, {"flag": {}}, {"isRead": None}, {"categories": []}])
def test_an_update_changes_something(update, updates):
    error = refusal(update, **updates)
    assert error.code == "invalid_input"
    assert pointer_of(error).startswith("/updates")


def test_an_update_moves_its_thread_and_is_told(update, message, heard):
    before = Thread.objects.get().updated_at
    update(isRead=True)
    assert Thread.objects.get().updated_at > before
    assert heard() == [("message.updated", [message.pk])]


def test_the_next_list_shows_what_was_written(ask, update):
    assert ask("email_list")[0]["isRead"] is False
    assert ask("email_list")[0]["_cache_status"] == "fresh"
    update(isRead=True)
    (item,) = ask("email_list")
    assert (item["isRead"], item["_cache_status"]) == (True, "miss")


# -- moving ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("folder", "role"),
    [("archive", "archive"), ("junk", "junk"), ("deleted", "trash"), ("inbox", "inbox")],
)
def test_a_moved_email_is_in_its_new_folder_and_there_alone(ask, message, folder, role):
    answer = ask("email_move", email_id=message.public_id, destination_folder=folder)
    assert answer == {"status": "moved", "new_id": message.public_id}
    assert [it.role for it in message.mailboxes.all()] == [role]
    assert [it.role for it in message.thread.mailboxes.all()] == [role]
    assert len(ask("email_list", folder=folder)) == 1


def test_labels_stay_with_what_is_moved(ask, message, inbox):
    label = Mailbox.objects.create(workspace=inbox.workspace, inbox=inbox, name="Urgent")
    message.mailboxes.add(label)
    ask("email_move", email_id=message.public_id, destination_folder="archive")
    assert {it.name for it in message.mailboxes.all()} == {"Archive", "Urgent"}


def test_a_folder_without_a_role_is_left_too(ask, inbox):
    folder = Mailbox.objects.create(workspace=inbox.workspace, inbox=inbox, name="Projects")
    message = factories.make_message(inbox)
    message.mailboxes.add(folder)
    ask("email_move", email_id=message.public_id, destination_folder="archive")
    assert [it.name for it in message.mailboxes.all()] == ["Archive"]


def test_a_thread_keeps_the_labels_that_its_other_messages_have(ask, message, inbox):
    other = factories.make_message(inbox, thread=message.thread)
    place(other, "inbox")
    ask("email_move", email_id=message.public_id, destination_folder="archive")
    assert {it.role for it in message.thread.mailboxes.all()} == {"inbox", "archive"}


def test_a_folder_that_is_not_there_yet_is_made(ask, message):
    Mailbox.objects.filter(role="archive").delete()
    ask("email_move", email_id=message.public_id, destination_folder="archive")
    assert Mailbox.objects.get(role="archive").messages.get() == message


@pytest.mark.parametrize("folder", ["drafts", "sent"])
def test_what_came_in_is_neither_a_draft_nor_sent(ask, message, folder):
    error = refusal(ask, "email_move", email_id=message.public_id, destination_folder=folder)
    assert (error.code, pointer_of(error)) == ("conflict", "/destination_folder")


def test_what_we_sent_goes_back_among_the_sent(ask, inbox):
    message = factories.make_message(inbox, direction=Direction.OUTBOUND)
    place(message, "archive")
    ask("email_move", email_id=message.public_id, destination_folder="sent")
    assert [it.role for it in message.mailboxes.all()] == ["sent"]


def test_a_move_to_where_it_is_tells_nobody(ask, message, heard):
    ask("email_move", email_id=message.public_id, destination_folder="inbox")
    assert heard() == []
    ask("email_move", email_id=message.public_id, destination_folder="junk")
    assert heard() == [("message.moved", [message.pk])]


# -- deleting --------------------------------------------------------------------------------------
def test_a_deleted_email_is_gone_from_everywhere_at_once(ask, actor, inbox, message, heard):
    delete = {"email_id": message.public_id, "confirm": True}
    assert ask("email_delete", **delete) == {"status": "deleted"}
    assert ask("email_list") == []
    for tool in ("email_get", "email_delete"):
        given = delete if tool == "email_delete" else {"email_id": message.public_id}
        assert refusal(ask, tool, **given).code == "not_found"
    search = {"inbox_id": inbox.public_id, "query": "offer"}
    assert call("search_inbox", search, actor).result == {"results": []}
    thread = Thread.objects.get()
    assert (thread.message_count, list(thread.mailboxes.all())) == (0, [])
    assert heard() == [("message.deleted", [message.pk])]


def test_a_thread_without_messages_is_not_listed(ask, actor, inbox, message):
    ask("email_delete", email_id=message.public_id, confirm=True)
    assert call("list_threads", {"inbox_id": inbox.public_id}, actor).result["threads"] == []


def test_the_other_messages_of_a_thread_stay(ask, inbox, message):
    older = factories.make_message(
        inbox, thread=message.thread, at=message.received_at - timedelta(days=1)
    )
    place(older, "archive")
    ask("email_delete", email_id=message.public_id, confirm=True)
    thread = Thread.objects.get()
    assert (thread.message_count, thread.last_message_at) == (1, older.received_at)
    assert [it.role for it in thread.mailboxes.all()] == ["archive"]


def test_what_was_deleted_comes_back_to_where_it_was(ask, actor, message):
    ask("email_delete", email_id=message.public_id, confirm=True)
    restore_message(actor=actor, message=message)
    assert [it["id"] for it in ask("email_list")] == [message.public_id]
    thread = Thread.objects.get()
    assert (thread.message_count, [it.role for it in thread.mailboxes.all()]) == (1, ["inbox"])


def test_the_same_mail_again_does_not_bring_it_back(ask, inbox, message):
    ask("email_delete", email_id=message.public_id, confirm=True)
    raw = message.blob.read()

    assert receive_message(inbox=inbox, raw=raw).deleted_at is not None


def test_after_thirty_days_it_is_gone_for_good(ask, message):
    ask("email_delete", email_id=message.public_id, confirm=True)
    assert purge_deleted(timezone.now() + timedelta(days=29)) == 0
    assert purge_deleted(timezone.now() + timedelta(days=31)) == 1
    assert not Message.objects.exists()


def test_nothing_is_deleted_without_a_promise_that_it_is_meant(ask, message):
    for said in ({}, {"confirm": False}, {"confirm": 1}):
        error = refusal(ask, "email_delete", email_id=message.public_id, **said)
        assert (error.code, pointer_of(error)) == ("invalid_input", "/confirm")
    assert Message.objects.kept().exists()


def test_a_token_without_the_scope_deletes_nothing(agent, inbox, message):
    reader = factories.agent_actor(agent, frozenset({"inbox:read", "inbox:write"}))
    given = {
        "account_id": inbox.account.public_id, "email_id": message.public_id, "confirm": True,
    }  # fmt: skip
    assert refusal(call, "email_delete", given, reader).code == "permission_denied"
    assert Message.objects.kept().exists()


def test_emails_of_others_and_of_no_one_answer_alike(ask, workspace, inbox, message):
    other = factories.make_inbox(workspace)
    both = factories.agent_actor(factories.make_agent(workspace, "Scout", (inbox, other)))
    calls = {
        "email_update": {"updates": {"isRead": True}},
        "email_move": {"destination_folder": "archive"},
        "email_delete": {"confirm": True},
    }
    for tool, fields in calls.items():
        wrong = [factories.make_message(other).public_id, "msg_none", "drf_none", "acc_x", ""]
        answers = [refusal(ask, tool, both, email_id=one, **fields).as_json() for one in wrong]
        assert all(answer == answers[0] for answer in answers)
        assert (answers[0]["code"], answers[0]["details"]["pointer"]) == ("not_found", "/email_id")


# -- drafts ----------------------------------------------------------------------------------------
@pytest.fixture
def draft(ask):
    ask("email_create_draft", to="ada@customer.example", subject="Hi", body="There.")
    return Draft.objects.get()


def test_a_draft_is_deleted_by_who_wrote_it(ask, draft, workspace, inbox, heard):
    other = factories.agent_actor(factories.make_agent(workspace, "Scout", (inbox,)))
    delete = {"email_id": draft.public_id, "confirm": True}
    assert refusal(ask, "email_delete", other, **delete).code == "permission_denied"
    assert ask("email_delete", **delete) == {"status": "deleted"}
    assert ask("email_list", folder="drafts") == []
    assert refusal(ask, "email_get", email_id=draft.public_id).code == "not_found"
    assert heard() == [("draft.deleted", [draft.pk])]


def test_a_deleted_draft_comes_back_open(ask, actor, draft):
    ask("email_delete", email_id=draft.public_id, confirm=True)
    restore_draft(actor=actor, draft=draft)
    assert [it["id"] for it in ask("email_list", folder="drafts")] == [draft.public_id]


def test_deleting_a_draft_withdraws_what_waits_of_it(ask, propose, approve):
    approval = propose()
    jobs.run_due()
    draft = approval.submission.draft
    ask("email_delete", email_id=draft.public_id, confirm=True)
    jobs.run_due()
    assert Submission.objects.get().state == "voided"
    assert Approval.objects.get().state == "voided"
    purge_deleted(timezone.now() + timedelta(days=31))
    assert Draft.objects.filter(pk=draft.pk).exists()


def test_a_draft_that_is_on_its_way_is_not_deleted(ask, propose, approve):
    approval = propose()
    approve(approval)
    error = refusal(ask, "email_delete", email_id=approval.submission.draft.public_id, confirm=True)
    assert error.code == "conflict"


def test_a_draft_that_nobody_proposed_is_gone_after_thirty_days(ask, draft):
    ask("email_delete", email_id=draft.public_id, confirm=True)
    assert purge_deleted(timezone.now() + timedelta(days=31)) == 1
    assert not Draft.objects.exists()


def test_a_draft_has_no_marks_and_stays_where_it_is(ask, draft):
    error = refusal(ask, "email_update", email_id=draft.public_id, updates={"isRead": True})
    assert (error.code, pointer_of(error)) == ("conflict", "/email_id")
    for folder in ("inbox", "sent", "deleted"):
        error = refusal(ask, "email_move", email_id=draft.public_id, destination_folder=folder)
        assert (error.code, pointer_of(error)) == ("conflict", "/destination_folder")
    moved = ask("email_move", email_id=draft.public_id, destination_folder="drafts")
    assert moved == {"status": "moved", "new_id": draft.public_id}


def test_an_account_without_an_identity_cannot_write(ask, inbox):
    Identity.objects.all().delete()
    fields = {"to": "ada@customer.example", "subject": "Hi", "body": "There."}
    assert refusal(ask, "email_create_draft", **fields).code == "conflict"
