"""Drafts, their versions, and to whom a reply goes."""

from datetime import timedelta

import pytest

from inbox.errors import DomainError
from inbox.flags import found, read_flags
from inbox.models import Direction, Draft, DraftStatus, Identity, ReplyPolicy
from inbox.operations.drafts.replying import plan_reply
from inbox.operations.drafts.writing import (
    attach_to_draft,
    create_draft,
    draft_reply,
    find_reply_draft,
    revise_draft,
    take_reply_draft,
)
from tests.factories import NOON, agent_actor, make_agent, make_inbox, make_message, make_workspace

pytestmark = pytest.mark.django_db


@pytest.fixture
def message(inbox):
    return make_message(inbox, subject="Lamp broken")


@pytest.fixture
def draft(actor, message) -> Draft:
    return draft_reply(actor=actor, thread=message.thread, body="We are looking into it.")


def new_draft(actor, inbox, **changes) -> Draft:
    values = {
        "actor": actor, "inbox": inbox, "identity": inbox.account.identities.get(),
        "to": ["ada@customer.example"], "subject": "The offer", "body": "Here it is.",
    }  # fmt: skip
    return create_draft(**values | changes)


def emails(addresses) -> list[str]:
    return [address["email"] for address in addresses]


def refusal(function, *args, **kwargs) -> DomainError:
    with pytest.raises(DomainError) as caught:
        function(*args, **kwargs)
    return caught.value


def test_a_draft_has_its_author_and_a_first_version(actor, inbox):
    draft = new_draft(actor, inbox, to=[{"name": "Ada", "email": "ada@customer.example"}])
    version = draft.versions.get()
    assert (draft.author, draft.author_name) == (actor.key, "Clerk")
    assert (version.version, version.body) == (1, "Here it is.")
    assert version.to == [{"name": "Ada", "email": "ada@customer.example"}]


def test_a_draft_keeps_policy_flags_and_citations(actor, inbox, message):
    policy = ReplyPolicy.objects.create(workspace=inbox.workspace, name="Own", source="", version=3)
    flag = found("too_long", "length", count=9, most=8, excerpt="Here", source=message.public_id)
    draft = new_draft(actor, inbox, policy=policy, risk_flags=[flag], cited=[message])
    draft.refresh_from_db()
    assert draft.policy_version == 3
    assert read_flags(draft.risk_flags)[0].findings == (flag,)
    assert list(draft.cited.all()) == [message]


def test_recipients_are_unique_without_regard_to_case_over_all_fields(actor, inbox):
    draft = new_draft(
        actor, inbox, to=["ada@customer.example", "ADA@customer.example"],
        cc=["Bo@customer.example", "ada@Customer.example"], bcc=["bo@customer.example"],
    )  # fmt: skip
    assert (emails(draft.to), emails(draft.cc), draft.bcc) == (
        ["ada@customer.example"], ["Bo@customer.example"], [],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"to": ["ada"]}, "to/0"),
        ({"to": "ada@customer.example"}, "to"),
        ({"cc": ["bo@customer.example", "a@b.example, c@d.example"]}, "cc/1"),
        ({"bcc": ["bo@customer.example\r\nX: y"]}, "bcc/0"),
        ({"to": [{"email": "bo@customer.example", "name": "Bo\nX"}]}, "to/0"),
        ({"to": [{"name": "Bo"}]}, "to/0"),
        ({"to": [f"p{n}@customer.example" for n in range(501)]}, "to"),
        ({"subject": "Hello\r\nBcc: eve@evil.example"}, "subject"),
        ({"subject": "fdp\u202eexe"}, "subject"),
        ({"subject": "x" * 999}, "subject"),
        ({"body": " \n\t "}, "body"),
        ({"body": "a\x00b"}, "body"),
        ({"body": "a\ud800b"}, "body"),
        ({"body": "x" * 1_000_001}, "body"),
    ],
)
def test_what_cannot_be_sent_is_refused_by_name(actor, inbox, changes, field):
    error = refusal(new_draft, actor, inbox, **changes)
    assert (error.code, error.field) == ("invalid_input", field)
    assert not Draft.objects.exists()


def test_line_ends_become_plain(actor, inbox):
    assert new_draft(actor, inbox, body="a\r\nb\rc").body == "a\nb\nc"


def test_an_identity_of_another_account_is_refused(actor, inbox):
    other = make_inbox(inbox.workspace).account.identities.get()
    assert refusal(new_draft, actor, inbox, identity=other).field == "identity"


def test_a_policy_of_another_workspace_does_not_exist(actor, inbox):
    policy = ReplyPolicy.objects.create(workspace=make_workspace(), name="Own", source="")
    assert refusal(new_draft, actor, inbox, policy=policy).code == "not_found"


def test_a_reply_goes_to_the_sender_of_the_newest_message_that_came_in(draft, message):
    assert draft.to == [{"name": "Ada Byron", "email": "ada@customer.example"}]
    assert (draft.subject, draft.in_reply_to) == ("Re: Lamp broken", message)


def test_a_reply_goes_to_reply_to_rather_than_to_the_sender(actor, inbox):
    message = make_message(inbox, reply_to=[{"email": "desk@customer.example"}])
    assert plan_reply(actor, message.thread).to == [{"email": "desk@customer.example"}]


@pytest.mark.parametrize(
    "reply_to", [[{"email": "nobody"}], [{"email": "OFFICE@lantern.example"}], [{"name": "x"}]]
)
def test_a_reply_to_that_cannot_be_answered_leaves_the_sender(actor, inbox, reply_to):
    message = make_message(inbox, reply_to=reply_to)
    assert emails(plan_reply(actor, message.thread).to) == ["ada@customer.example"]


def test_a_reply_passes_over_what_we_wrote_since(actor, inbox, message):
    make_message(
        inbox, thread=message.thread, sender=inbox.address, direction=Direction.OUTBOUND,
        at=message.received_at + timedelta(hours=1),
    )  # fmt: skip
    assert plan_reply(actor, message.thread).in_reply_to == message


def test_a_copy_of_our_own_mail_that_came_in_is_not_answered(actor, inbox, message):
    make_message(
        inbox, thread=message.thread, sender="Office@Lantern.example",
        at=message.received_at + timedelta(hours=1),
    )  # fmt: skip
    assert emails(plan_reply(actor, message.thread).to) == ["ada@customer.example"]


def test_a_reply_never_goes_to_another_identity_of_the_account(actor, inbox, message):
    Identity.objects.create(
        workspace=inbox.workspace, account=inbox.account, email="sales@lantern.example"
    )
    message.reply_to = [{"email": "sales@lantern.example"}, {"email": "bo@customer.example"}]
    message.save()
    assert emails(plan_reply(actor, message.thread).to) == ["bo@customer.example"]


def test_in_a_thread_of_our_own_a_reply_goes_where_the_newest_went(actor, inbox):
    first = make_message(inbox, sender=inbox.address, direction=Direction.OUTBOUND, subject="Hi")
    first.to = [{"email": "bo@customer.example"}, {"email": inbox.address}]
    first.save()
    plan = plan_reply(actor, first.thread)
    assert (emails(plan.to), plan.subject) == (["bo@customer.example"], "Re: Hi")


def test_a_thread_with_nobody_else_in_it_cannot_be_answered(actor, inbox):
    message = make_message(inbox, sender=inbox.address)
    assert refusal(plan_reply, actor, message.thread).code == "conflict"


def test_a_deleted_message_is_not_answered(actor, inbox, message):
    make_message(
        inbox, thread=message.thread, sender="bo@customer.example", deleted_at=NOON,
        at=message.received_at + timedelta(hours=1),
    )  # fmt: skip
    assert plan_reply(actor, message.thread).in_reply_to == message


def test_a_reply_leaves_as_the_identity_that_was_written_to(actor, inbox, message):
    sales = Identity.objects.create(
        workspace=inbox.workspace, account=inbox.account, email="sales@lantern.example"
    )
    message.to = [{"email": "Sales@lantern.example"}]
    message.save()
    assert plan_reply(actor, message.thread).identity == sales


def test_a_name_that_poses_as_an_address_is_not_written_into_a_reply(actor, inbox):
    message = make_message(inbox, sender_name="boss@lantern.example")
    assert plan_reply(actor, message.thread).to == [{"email": "ada@customer.example"}]


def test_planning_a_reply_takes_three_queries(actor, inbox, message, django_assert_max_num_queries):
    thread = type(message.thread).objects.select_related("inbox__account").get()
    with django_assert_max_num_queries(3):
        plan_reply(actor, thread)


def test_a_revision_is_a_new_version_by_whoever_made_it(draft):
    revised = revise_draft(draft=draft, author_key="person:3", author_name="Rhea", body="Sorry.")
    assert (revised.version, revised.author, revised.body) == (2, "person:3", "Sorry.")
    assert [(v.version, v.author) for v in revised.versions.order_by("version")] == [
        (1, draft.author), (2, "person:3"),
    ]  # fmt: skip


def test_a_revision_that_changes_nothing_is_no_version(draft):
    assert revise_draft(draft=draft, author_key="x", author_name="", body=draft.body).version == 1


def test_revising_what_was_sent_back_or_proposed_opens_it(draft):
    for status in (DraftStatus.RETURNED, DraftStatus.PROPOSED):
        Draft.objects.update(status=status)
        revised = revise_draft(
            draft=draft, author_key=draft.author, author_name="", body=f"Now {status}."
        )
        assert revised.status == DraftStatus.OPEN


def test_what_was_sent_cannot_be_revised(draft):
    Draft.objects.update(status=DraftStatus.SENT)
    error = refusal(revise_draft, draft=draft, author_key="x", author_name="", body="No")
    assert error.code == "conflict"


def test_a_refused_revision_changes_nothing(draft):
    refusal(revise_draft, draft=draft, author_key="x", author_name="", body="New", to=["nobody"])
    draft.refresh_from_db()
    assert (draft.version, draft.body) == (1, "We are looking into it.")


def test_an_attachment_makes_a_version(draft):
    attached = attach_to_draft(
        draft=draft, filename="offer.pdf", content_type="application/pdf", content=b"%PDF"
    )
    draft.refresh_from_db()
    assert (draft.version, attached.blob.read(), attached.position) == (2, b"%PDF", 0)


@pytest.mark.parametrize("filename", ["", "..", "../x", "a/b", "a\\b", "a\nb", "x" * 256])
def test_an_attachment_has_a_plain_name(draft, filename):
    error = refusal(
        attach_to_draft, draft=draft, filename=filename, content_type="text/plain", content=b""
    )
    assert error.field == "filename"


def test_an_attachment_has_a_media_type(draft):
    error = refusal(
        attach_to_draft, draft=draft, filename="a", content_type="text/plain\r\nX: y", content=b""
    )
    assert error.field == "content_type"


def find(actor, thread, text: str) -> Draft | None:
    return find_reply_draft(actor=actor, thread=thread, body_or_draft_id=text)


def test_a_draft_is_found_by_its_id(actor, message, draft):
    assert find(actor, message.thread, f" {draft.public_id}\n") == draft


def test_a_draft_is_found_by_its_exact_text(actor, message, draft):
    assert find(actor, message.thread, "We are looking into it.") == draft
    assert find(actor, message.thread, "We are looking into it!") is None


def test_of_two_drafts_with_one_text_the_newest_is_found(actor, message, draft):
    again = draft_reply(actor=actor, thread=message.thread, body=draft.body)
    assert find(actor, message.thread, draft.body) == again


def test_a_proposed_draft_is_no_longer_found_by_text_nor_proposed_by_its_id(actor, message, draft):
    assert find(actor, message.thread, draft.public_id) == take_reply_draft(draft)
    Draft.objects.update(status=DraftStatus.PROPOSED)
    assert find(actor, message.thread, draft.body) is None
    found = find(actor, message.thread, draft.public_id)
    assert refusal(take_reply_draft, found).code == "conflict"
    # As it stands by then, not as it was found.
    assert refusal(take_reply_draft, draft).code == "conflict"


@pytest.mark.parametrize("text", ["drf_k3G7QAe51F", "drf_", "drf_../../x"])
def test_an_id_of_no_draft_is_not_taken_for_a_text(actor, message, text):
    error = refusal(find, actor, message.thread, text)
    assert (error.code, error.field) == ("not_found", "body_or_draft_id")


def test_a_draft_of_another_thread_does_not_exist(actor, inbox, draft):
    other = make_message(inbox).thread
    assert find(actor, other, draft.body) is None
    assert refusal(find, actor, other, draft.public_id).code == "not_found"


def test_a_draft_of_another_agent_does_not_exist(inbox, message, draft):
    other = agent_actor(make_agent(inbox.workspace, "Other", (inbox,)))
    assert find(other, message.thread, draft.body) is None
    assert refusal(find, other, message.thread, draft.public_id).code == "not_found"


def test_a_draft_that_a_person_edited_is_still_its_makers(actor, message, draft):
    revise_draft(draft=draft, author_key="person:3", author_name="Rhea", body="Sorry.")
    assert find(actor, message.thread, draft.public_id) == draft


def test_a_draft_follows_its_thread_into_another(actor, inbox, message, draft):
    into = make_message(inbox).thread
    message.thread.merged_into = into
    message.thread.save()
    assert find(actor, into, draft.public_id) == draft
