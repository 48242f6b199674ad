"""Links and accounts that are no news to those whom a letter goes to, and those that are."""

import pytest

from agents.approval.checks.risks import find_risks
from agents.dispatching.dispatch import call
from agents.models import AgentMessage
from inbox.models import ReplyPolicy
from inbox.operations.activities.understanding import save_version
from inbox.operations.drafts.writing import NewAttachment, create_draft
from inbox.operations.files import create_file
from tests import factories

pytestmark = pytest.mark.django_db
OURS, THEIRS = "DE89 3704 0044 0532 0130 00", "GB29 NWBK 6016 1331 9268 19"
TOM, HOUSE = "tom@quarry.example", "crew@lantern.example"


@pytest.fixture
def partner(inbox, workspace):
    """What a partner wrote, whom we have written to."""
    factories.make_person(workspace, TOM, sent_count=2)
    text = f"Our plan is at https://plans.mill.example/4. Please pay to {THEIRS}."
    return factories.make_message(inbox, sender=TOM, text=text)


@pytest.fixture
def account(actor, inbox, partner):
    """A file of ours with our own account, which the agent has read."""
    content = f"Our account: {OURS}".encode()
    create_file(actor=actor, account=inbox.account, path="/Account.txt", content=content)
    named = {"account_id": inbox.account.public_id, "query": "our account"}
    call("search_files", named, actor)


def read(actor, message):
    named = {"account_id": message.inbox.account.public_id, "email_id": message.public_id}
    call("email_get", named, actor)


def flags_of(actor, inbox, to, body, **fields):
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(), body=body,
        to=[{"email": email} for email in to.split()], **{"subject": "News", **fields},
    )  # fmt: skip
    return {flag.flag for flag in find_risks(actor, draft)}


def test_our_own_account_may_be_told_to_partners_and_no_other(actor, inbox, account):
    sensitive = "contains_sensitive_data"
    assert sensitive not in flags_of(actor, inbox, TOM, f"Please pay to {OURS.replace(' ', '')}.")
    assert sensitive in flags_of(actor, inbox, TOM, f"Please pay to {THEIRS}.")
    assert sensitive in flags_of(actor, inbox, "eve@collector.example", f"Please pay to {OURS}.")


def test_a_stranger_s_account_is_news_to_themselves_as_well(actor, inbox, account):
    eve = factories.make_message(inbox, sender="eve@collector.example", text=f"Pay to {THEIRS}.")
    read(actor, eve)
    found = flags_of(actor, inbox, "eve@collector.example", f"Is it {THEIRS}?")
    assert "contains_sensitive_data" in found


def test_our_own_account_in_the_subject_is_looked_at(actor, inbox, account):
    assert "contains_sensitive_data" in flags_of(actor, inbox, TOM, "See above.", subject=OURS)


def test_links_beside_it_make_no_list_of_accounts(actor, inbox, account):
    links = " ".join(f"https://{name}.example/" for name in ("one", "two", "three"))
    found = flags_of(actor, inbox, TOM, f"Please pay to {OURS}. See {links}")
    assert "contains_sensitive_data" not in found
    assert "external_link" in found


def test_an_account_in_a_file_that_goes_along_is_looked_at(actor, inbox, account):
    pay = [NewAttachment("pay.csv", "text/csv", f"Marta;{OURS}".encode())]
    found = flags_of(actor, inbox, TOM, f"See {OURS}.", attachments=pay)
    assert "contains_sensitive_data" in found


def test_within_our_own_house_an_account_is_no_secret_but_a_list_of_them_is(actor, inbox, partner):
    body = f"Tom wants it at {THEIRS}."
    assert "contains_sensitive_data" not in flags_of(actor, inbox, HOUSE, body)
    body += f" Others: {OURS}, BE68 5390 0754 7034."
    assert "contains_sensitive_data" in flags_of(actor, inbox, HOUSE, body)
    assert "contains_sensitive_data" in flags_of(actor, inbox, HOUSE, "password: Tr0ut-Lake!9")


def test_what_a_policy_says_of_accounts_and_links_stays(actor, inbox, workspace, partner):
    save_version(
        ReplyPolicy, workspace=workspace, name="Strict",
        content="redactions: [iban]\nallowed_links: [lantern.example]\n",
    )  # fmt: skip
    found = flags_of(actor, inbox, HOUSE, f"{THEIRS}, https://quarry.example/plan")
    assert {"contains_sensitive_data", "external_link"} <= found
    found = flags_of(actor, inbox, TOM, "https://quarry.example/plan")
    assert "external_link" in found


@pytest.mark.parametrize(
    "case",
    [
        (TOM, "https://quarry.example/plan", False),
        (TOM, "https://www.files.quarry.example/plan", False),
        (TOM, "https://notquarry.example/plan", True),
        (TOM, "https://plans.mill.example/4", True),
        ("eve@collector.example", "https://collector.example", True),
        (HOUSE, "https://plans.mill.example/4", False),
        (HOUSE, "https://plans.elsewhere.example/4", True),
        (f"{HOUSE} {TOM}", "https://plans.mill.example/4", True),
    ],
)
def test_a_link_to_whoever_gets_it_leads_to_nowhere_else(actor, inbox, partner, case):
    to, link, is_told = case
    read(actor, partner)
    assert ("external_link" in flags_of(actor, inbox, to, f"See {link}")) == is_told


@pytest.mark.parametrize("field", ["cc", "bcc"])
def test_a_link_to_whoever_gets_a_copy_leads_to_nowhere_else(actor, inbox, partner, field):
    copies = {field: [{"email": TOM}]}
    link = "See https://quarry.example/plan"
    assert "external_link" not in flags_of(actor, inbox, HOUSE, link, **copies)


def test_a_link_in_a_file_may_lead_to_where_a_partner_s_mail_does(actor, inbox, partner):
    link = "See https://plans.mill.example/4"
    files = [NewAttachment("plan.txt", "text/plain", link.encode())]
    assert "external_link" in flags_of(actor, inbox, TOM, "See the plan.", attachments=files)
    read(actor, partner)
    assert "external_link" not in flags_of(actor, inbox, TOM, "See the plan.", attachments=files)
    assert "external_link" in flags_of(actor, inbox, TOM, "See the plan.", subject=link)


def test_a_link_that_cannot_be_read_leads_to_nowhere_that_is_known(actor, inbox, partner):
    read(actor, partner)
    for to in (TOM, HOUSE):
        assert "external_link" in flags_of(actor, inbox, to, "See https://[bad/4 please")
        files = [NewAttachment("plan.txt", "text/plain", b"See https://[bad/4 please")]
        assert "external_link" in flags_of(actor, inbox, to, "See it.", attachments=files)


def test_within_our_own_house_a_stranger_s_link_is_passed_on_with_who_wrote_it(
    actor, inbox, partner
):
    link = "https://collector.example/in"
    read(actor, factories.make_message(inbox, sender="eve@collector.example", text=f"See {link}"))
    assert "external_link" in flags_of(actor, inbox, HOUSE, f"Somebody sends {link}")
    assert "external_link" not in flags_of(
        actor, inbox, HOUSE, f"eve@collector.example sends {link}"
    )


def test_somebody_new_whom_a_person_named_is_no_news(actor, agent, inbox, partner):
    rhea = factories.make_person_user(agent.workspace, name="rhea")
    AgentMessage.objects.create(
        workspace=agent.workspace, person=rhea, person_name="rhea", recipient=agent,
        text="Please ask ines@mill.example for a price, she is called Ines.",
    )  # fmt: skip
    assert "new_recipient" in flags_of(actor, inbox, "ines@mill.example", "What is the price?")
    call("get_messages_from_agents", {"agent_name": agent.name}, actor)
    assert "new_recipient" not in flags_of(actor, inbox, "ines@mill.example", "What is the price?")
    assert "new_recipient" in flags_of(actor, inbox, "ines@mi11.example", "What is the price?")


def test_a_link_to_the_house_of_whoever_gets_it_is_usual_where_we_know_them(actor, inbox, partner):
    assert "external_link" not in flags_of(actor, inbox, TOM, "See https://www.quarry.example/x")
    found = flags_of(actor, inbox, "eve@collector.example", "See https://collector.example/x")
    assert "external_link" in found
