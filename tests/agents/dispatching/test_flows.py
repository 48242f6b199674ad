"""What a policy says of flows, at calls: done and noted, held with its reason, or refused whole."""

import pytest

from agents.approval import lifecycle
from agents.approval.due import check_due
from agents.approval.status import ApprovalError
from agents.contracts import RESOURCES
from agents.dispatching.dispatch import call
from agents.errors import ToolError
from agents.exchange import folders
from agents.models import Approval, Receipt
from calendar_app.models import Event
from inbox.models import Draft, FileNode, Inbox, Message, PersonEmail, ReplyPolicy, Submission
from inbox.operations.activities.understanding import save_version
from inbox.operations.drafts.writing import draft_reply
from tests import factories
from tests.agents.tools.calendars import ADA, desk  # noqa: F401 (a fixture)

pytestmark = pytest.mark.django_db
MALLORY = "mallory@elsewhere.example"


@pytest.fixture
def policy(workspace):
    """Save what the workspace's policy says of flows, or another policy by its name."""

    def policy(name="House", **flows):
        source = "flows:\n" + "".join(f"  {flow}: {action}\n" for flow, action in flows.items())
        stored = ReplyPolicy.objects.filter(workspace=workspace, name=name).first()
        return save_version(
            ReplyPolicy, workspace=workspace, name=name, content=source, stored=stored
        )

    return policy


@pytest.fixture
def ask(actor, inbox):
    def ask(name, **arguments):
        return call(name, {"account_id": inbox.account.public_id, **arguments}, actor).result

    return ask


@pytest.fixture
def held(ask):
    """Call what waits for a person; return its approval."""

    def held(name, **arguments):
        before = set(Approval.objects.values_list("pk", flat=True))
        with pytest.raises(ToolError) as refused:
            ask(name, **arguments)
        assert refused.value.code == "approval_required"
        return Approval.objects.exclude(pk__in=before).get()

    return held


@pytest.fixture
def blocked(ask):
    """Call what a policy forbids; return why."""

    def blocked(name, **arguments):
        with pytest.raises(ToolError) as refused:
            ask(name, **arguments)
        assert refused.value.code == "policy_blocked"
        assert not Approval.objects.exists()
        assert Receipt.objects.latest("pk").outcome == "error"
        return refused.value.message

    return blocked


def flags_of(approval):
    check_due([approval])
    return [flag["flag"] for flag in approval.risk_flags]


# -- addresses of people ---------------------------------------------------------------------------
@pytest.fixture
def friend(inbox):
    """Somebody whom we have written with."""
    return factories.make_person(
        inbox.workspace, fn="Ada", sent_count=9, contact_count=9, account=inbox.account
    )


def addresses(person):
    rows = PersonEmail.objects.filter(person=person, removed_at=None)
    return sorted(rows.values_list("email", flat=True))


def swap(person, *emails):
    return {"contact_id": person.public_id, "updates": {"emailAddresses": list(emails)}}


def test_an_address_put_on_a_friend_s_card_waits_and_is_there_once_approved(held, approve, friend):
    before = addresses(friend)
    approval = held("contact_update", **swap(friend, MALLORY))
    assert addresses(friend) == before
    assert approval.reason == (
        "Needs approval unless a policy says otherwise: card_address_change: hold."
    )
    [flag] = approval.risk_flags
    assert (flag["flag"], [item["excerpt"] for item in flag["items"]]) == (
        "address_changed", [MALLORY, *before],
    )  # fmt: skip
    approve(approval)
    assert addresses(friend) == [MALLORY]


def test_a_new_card_that_would_give_a_friend_a_further_address_waits_too(held, ask, friend):
    [known] = addresses(friend)
    approval = held("contact_create", given_name="Ada", email_addresses=[MALLORY, known])
    assert [item["excerpt"] for item in approval.risk_flags[0]["items"]] == [MALLORY]
    assert addresses(friend) == [known]
    ask("contact_create", given_name="Ada", email_addresses=[known])
    assert not friend.__class__.objects.get(pk=friend.pk).deleted_at


def test_what_changes_no_address_of_somebody_we_wrote_with_is_done_at_once(ask, friend, inbox):
    [known] = addresses(friend)
    ask("contact_update", contact_id=friend.public_id, updates={"jobTitle": "Engineer"})
    ask("contact_update", **swap(friend, known.upper()))
    only_wrote = factories.make_person(
        inbox.workspace, email="bo@customer.example", account=inbox.account, received_count=3
    )
    ask("contact_update", **swap(only_wrote, "bo@home.example"))
    assert addresses(only_wrote) == ["bo@home.example"]
    assert not Approval.objects.exists()


def test_a_policy_lets_it_flags_it_or_forbids_it(policy, ask, blocked, friend):
    policy(card_address_change="block")
    assert blocked("contact_update", **swap(friend, MALLORY)) == (
        "The policy House forbids it: card_address_change: block."
    )
    assert MALLORY not in addresses(friend)
    policy(card_address_change="flag")
    ask("contact_update", **swap(friend, MALLORY))
    receipt = Receipt.objects.latest("pk")
    assert receipt.reason == (
        "scope storage:write It was done right away and flagged: Address of someone you know."
    )
    policy(card_address_change="allow")
    ask("contact_update", **swap(friend, "ada@home.example"))
    assert Receipt.objects.latest("pk").reason == "scope storage:write"


def test_an_approved_change_that_is_another_by_now_or_forbidden_is_not_made(
    held, approve, friend, policy
):
    first, second = (held("contact_update", **swap(friend, it)) for it in (MALLORY, "x@y.example"))
    approve(first)
    with pytest.raises(ApprovalError) as refused:
        approve(second)
    assert refused.value.code == "voided"
    assert "it would now do something other than what was proposed" in refused.value.message
    third = held("contact_update", **swap(friend, "z@y.example"))
    policy(card_address_change="block")
    with pytest.raises(ApprovalError, match="forbids it"):
        approve(third)
    assert addresses(friend) == [MALLORY]


@pytest.mark.parametrize(
    "by_now", [["ada@home.example"], ["ada@home.example", "a@b.example", "c@d.example"]]
)
def test_a_change_that_would_do_less_by_now_or_more_is_not_made(
    held, approve, friend, reviewer, by_now
):
    person = factories.person_actor(reviewer)
    account = {"account_id": Inbox.objects.get().account.public_id}
    call("contact_update", {**account, **swap(friend, "ada@home.example", "a@b.example")}, person)
    approval = held("contact_update", **swap(friend, MALLORY))
    call("contact_update", {**account, **swap(friend, *by_now)}, person)
    with pytest.raises(
        ApprovalError, match="it would now do something other than what was proposed"
    ):
        approve(approval)
    assert addresses(friend) == sorted(by_now)


def test_a_person_changes_cards_as_they_like(friend, reviewer, inbox, policy):
    policy(card_address_change="block")
    person = factories.person_actor(reviewer)
    wanted = {"account_id": inbox.account.public_id, **swap(friend, MALLORY)}
    call("contact_update", wanted, person)
    assert addresses(friend) == [MALLORY]


# -- meetings --------------------------------------------------------------------------------------
def test_taking_a_meeting_off_without_telling_its_guests_waits(desk):  # noqa: F811
    desk.create(attendees=[ADA], start="2099-03-10T10:00:00Z", end="2099-03-10T11:00:00Z")
    desk.leave()
    event = Event.objects.get()
    answer = desk.delete(event.public_id, send_cancellation=False)
    [approval] = desk.waiting()
    assert (answer["status"], answer["approval_id"]) == ("queued", approval.public_id)
    assert "message_id" not in answer
    assert (approval.submission, flags_of(approval)) == (None, ["guests_not_told"])
    assert Event.objects.get().deleted_at is None
    desk.approve(approval)
    assert Event.objects.get().deleted_at is not None
    assert Submission.objects.count() == 1


def test_a_meeting_that_is_over_or_has_no_guests_goes_at_once(desk):  # noqa: F811
    desk.create(attendees=[ADA], start="2020-03-10T10:00:00Z", end="2020-03-10T11:00:00Z")
    desk.leave()
    desk.create(start="2099-03-10T10:00:00Z", end="2099-03-10T11:00:00Z")
    for event in Event.objects.all():
        assert desk.delete(event.public_id, send_cancellation=False)["status"] == "deleted"
    assert not desk.waiting()


def test_an_invitation_is_flagged_or_forbidden_where_a_policy_says_so(desk, policy):  # noqa: F811
    desk.create(attendees=[ADA])
    assert "invitation" not in flags_of(desk.waiting()[0])
    policy(invitation="flag")
    desk.create(attendees=[ADA], subject="Another")
    assert "invitation" in flags_of(desk.waiting()[-1])
    desk.ask("email_send", to=ADA, subject="The lamps", body="They came.", confirm=True)
    assert "invitation" not in flags_of(desk.waiting()[-1])
    policy(invitation="block")
    drafts = Draft.objects.count()
    with pytest.raises(ToolError) as refused:
        desk.create(attendees=[ADA], subject="A third")
    assert (refused.value.code, Draft.objects.count()) == ("policy_blocked", drafts)
    desk.create(subject="With nobody")
    assert Event.objects.get().summary == "With nobody"


# -- what is deleted, and what is overwritten ------------------------------------------------------
def test_what_deletes_waits_is_noted_or_refused_as_the_policy_says(
    policy, ask, held, blocked, approve
):
    inbox = Inbox.objects.get()
    first, second = (factories.make_message(inbox, text=text) for text in ("One", "Two"))
    delete = [{"email_id": it.public_id, "confirm": True} for it in (first, second)]
    policy(destroy="block")
    assert "destroy: block" in blocked("email_delete", **delete[0])
    policy(destroy="hold")
    approval = held("email_delete", **delete[0])
    assert approval.reason == "The policy House requires approval: destroy: hold."
    assert flags_of(approval) == ["destroys"]
    policy(destroy="block")
    with pytest.raises(ApprovalError, match="forbids it") as refused:
        approve(approval)
    assert refused.value.code == "not_allowed"
    policy(destroy="hold")
    approve(approval)
    policy(destroy="flag")
    ask("email_delete", **delete[1])
    assert "flagged: Deletes something" in Receipt.objects.latest("pk").reason
    assert not Message.objects.filter(deleted_at=None).exists()


def test_a_meeting_s_end_that_is_held_and_tells_people_carries_both_flags(desk, policy):  # noqa: F811
    policy(destroy="hold")
    desk.create(attendees=[ADA], start="2099-03-10T10:00:00Z", end="2099-03-10T11:00:00Z")
    desk.leave()
    desk.delete(Event.objects.get().public_id)
    [approval] = desk.waiting()
    assert "destroys" in flags_of(approval)
    fields = {it: getattr(approval.submission.draft, it) for it in ("subject", "to", "cc", "bcc")}
    edited = lifecycle.edit_and_approve(
        approval=approval, by=desk.reviewer, body="It is off, sorry.", **fields
    )
    assert "destroys" in flags_of(edited)


def test_a_silent_end_that_is_held_for_deleting_as_well_is_done_once_approved(desk, policy):  # noqa: F811
    policy(destroy="hold")
    desk.create(attendees=[ADA], start="2099-03-10T10:00:00Z", end="2099-03-10T11:00:00Z")
    desk.leave()
    desk.delete(Event.objects.get().public_id, send_cancellation=False)
    [approval] = desk.waiting()
    assert flags_of(approval) == ["guests_not_told", "destroys"]
    desk.approve(approval)
    assert Event.objects.get().deleted_at is not None


def test_a_draft_of_its_own_is_an_agent_s_to_delete(policy, actor, message):
    policy(destroy="block")
    draft = draft_reply(actor=actor, thread=message.thread, body="Yes.")
    named = {"draft_id": draft.public_id, "if_match": "*"}
    call("remove_draft", named, actor, registry=RESOURCES)
    assert Draft.objects.get().deleted_at is not None


@pytest.fixture
def shared(ask, actor):
    """A file of ours that a message attaches which waits."""
    folders.write_file(actor, "offer", b"348 EUR")
    ask("file_create", onedrive_path="/Offer.txt", local_file_path="offer")
    file = FileNode.objects.get()
    ask("file_share", file_id=file.public_id, to=[ADA])
    return file


def content(file):
    return FileNode.objects.get(pk=file.pk).blob.read()


def test_a_file_that_a_waiting_message_attaches_is_written_anew_once_a_person_said_so(
    held, approve, ask, actor, shared
):
    folders.write_file(actor, "same", b"348 EUR")
    ask("file_update", file_id=shared.public_id, local_file_path="same")
    folders.write_file(actor, "new", b"999 EUR")
    approval = held("file_update", file_id=shared.public_id, local_file_path="new")
    assert flags_of(approval) == ["overwrites_attached"]
    assert content(shared) == b"348 EUR"
    approve(approval)
    assert content(shared) == b"999 EUR"


def test_what_is_approved_is_the_content_that_was_there_when_it_was_proposed(
    held, approve, actor, shared
):
    folders.write_file(actor, "new", b"999 EUR")
    approval = held("file_update", file_id=shared.public_id, local_file_path="new")
    folders.remove_file(actor, "new")
    folders.write_file(actor, "new", b"1 EUR")
    with pytest.raises(ApprovalError) as refused:
        approve(approval)
    assert refused.value.code == "voided"
    assert content(shared) == b"348 EUR"


def test_a_file_whose_message_was_rejected_is_written_at_once(ask, actor, reviewer, shared):
    lifecycle.reject(approval=Approval.objects.get(), by=reviewer, reason="No.")
    Draft.objects.update(status="discarded")
    folders.write_file(actor, "new", b"999 EUR")
    ask("file_update", file_id=shared.public_id, local_file_path="new")
    assert content(shared) == b"999 EUR"


# -- mail ------------------------------------------------------------------------------------------
def test_a_message_to_a_stranger_is_refused_whole_or_goes_unflagged_as_the_policy_says(
    policy, ask, blocked
):
    words = {"to": MALLORY, "subject": "Offer", "body": "Here.", "confirm": True}
    policy(stranger_recipient="block")
    assert "stranger_recipient: block" in blocked("email_send", **words)
    assert not Draft.objects.exists()
    policy(stranger_recipient="allow")
    ask("email_send", **words)
    assert flags_of(Approval.objects.get()) == []


def test_what_a_policy_forbids_without_any_flow_is_refused_whole_as_well(workspace, blocked):
    save_version(
        ReplyPolicy, workspace=workspace, name="House",
        content="recipients: {block: [elsewhere.example]}",
    )  # fmt: skip
    words = {"to": MALLORY, "subject": "Offer", "body": "Here.", "confirm": True}
    assert "blocks elsewhere.example" in blocked("email_send", **words)
    assert not Draft.objects.exists()


def test_an_agent_cannot_choose_a_milder_policy_for_its_draft(policy, propose, actor, message):
    policy(stranger_recipient="block")
    milder = policy("Mild", stranger_recipient="allow")
    arguments = {"thread_id": message.thread.public_id, "goal": "Say yes."}
    call("draft_reply_with_policy", {**arguments, "policy_id": milder.public_id}, actor)
    draft = Draft.objects.get()
    assert draft.policy == milder
    with pytest.raises(ToolError, match="The policy House forbids it"):
        propose(draft.public_id)
