"""Where a draft comes from: each risk with its reason and its source."""

import pytest

from agents.approval.checks.risks import find_risks
from inbox.flags import found
from inbox.models import Authentication, Membership, ReplyPolicy
from inbox.operations.activities.understanding import save_version
from inbox.operations.drafts.writing import (
    NewAttachment,
    attach_to_draft,
    create_draft,
    draft_reply,
)
from tests import factories

pytestmark = pytest.mark.django_db
SECRET = "The vault opens with seven turns to the left and nine back."


@pytest.fixture
def known(message):
    """Have written to the customer who asks."""
    return know(message, "ada@customer.example", sent_count=1, contact_count=2)


def know(message, email, **counts):
    return factories.make_person(
        message.workspace, email, first_contact_at=message.received_at,
        last_contact_at=message.received_at, **{"received_count": 1, "contact_count": 1, **counts},
    )  # fmt: skip


@pytest.fixture
def risks(actor, message):
    """What is risky about answering the question with a text: by flag, the first that raised it."""

    def risks(body, thread=message.thread):
        draft = draft_reply(actor=actor, thread=thread, body=body)
        return {risk.flag: risk.findings[0] for risk in find_risks(actor, draft)}

    return risks


def test_a_plain_answer_to_somebody_known_has_none(risks, known):
    assert risks("Yes, it will be with you on Friday.") == {}


def test_who_only_wrote_to_us_is_new_until_we_have_written_to_them(risks, message):
    """One harmless mail made its sender known: a journal went out that way, in a batch."""
    know(message, "ada@customer.example")
    flag = risks("Yes.")["new_recipient"]
    assert (flag.reason, flag.excerpt) == ("only_in_mail", "ada@customer.example")
    assert flag.source == message.public_id


def test_a_new_address_names_the_mail_that_brought_it(risks, message):
    message.reply_to = [{"email": "payments@elsewhere.example"}]
    message.save()
    flag = risks("Yes.")["new_recipient"]
    assert (flag.excerpt, flag.source) == ("payments@elsewhere.example", message.public_id)
    assert "only in the mail" in flag.english


def test_an_address_that_looks_like_a_known_one_is_named(risks, message):
    know(message, "finance@lantern-supplies.example", sent_count=9, contact_count=20)
    message.reply_to = [{"email": "finance@1antern-supplies.example"}]
    message.save()
    flag = risks("Yes.")["lookalike_sender"]
    assert "finance@lantern-supplies.example" in flag.english
    assert (flag.excerpt, flag.source) == ("finance@1antern-supplies.example", message.public_id)


def test_a_sender_who_looks_like_a_known_one_is_named_where_answers_go_elsewhere(risks, message):
    know(message, "finance@lantern-supplies.example", sent_count=9, contact_count=20)
    message.from_email = "finance@1antern-supplies.example"
    message.reply_to = [{"email": "payments@elsewhere.example"}]
    message.save()
    flag = risks("Yes.")["lookalike_sender"]
    assert "finance@lantern-supplies.example" in flag.english
    assert flag.source == message.public_id


def test_a_link_names_the_mail_that_it_came_from(risks, known, inbox, message):
    factories.make_message(
        inbox, thread=message.thread, text="See https://pay.elsewhere.example/now please."
    )
    flag = risks("As you wrote: https://pay.elsewhere.example/now")["external_link"]
    assert flag.source is not None


def test_a_passage_of_another_conversation_names_it(risks, known, inbox):
    other = factories.make_message(
        inbox, sender="bob@partner.example", text=f"Dear all,\n{SECRET}\nBob"
    )
    flag = risks(f"Hello Ada. By the way, {SECRET.lower()} Bye.")["content_from_other_thread"]
    assert flag.source == other.public_id
    assert "bob@partner.example" in flag.english
    assert "vault opens with seven turns to the left" in flag.excerpt


@pytest.mark.parametrize("cut", range(8))
def test_eight_words_are_found_wherever_they_stand(risks, known, inbox, cut):
    other = factories.make_message(inbox, sender="bob@partner.example", text=SECRET)
    eight = "vault opens with seven turns to the left"
    body = f"{'word ' * cut}{eight} and nothing more of it."
    assert risks(body)["content_from_other_thread"].source == other.public_id


def test_seven_words_are_no_passage(risks, known, inbox):
    factories.make_message(inbox, sender="bob@partner.example", text=SECRET)
    assert "content_from_other_thread" not in risks("The vault opens with seven turns only.")


def test_a_passage_from_the_recipient_s_own_conversation_is_none(risks, known, inbox):
    factories.make_message(inbox, text=SECRET)
    assert "content_from_other_thread" not in risks(SECRET)


def test_what_a_foreign_workspace_wrote_is_not_compared_with(risks, known):
    foreign = factories.make_inbox(factories.make_workspace())
    factories.make_message(foreign, sender="bob@partner.example", text=SECRET)
    assert "content_from_other_thread" not in risks(SECRET)


@pytest.mark.parametrize(
    "body", ['"', "' OR 1=1 --", "NEAR(a b)", "* ^ : - ( )", "東京 " * 30, "ß" * 40, '" OR "']
)
def test_signs_of_query_languages_mean_nothing(risks, known, inbox, body):
    factories.make_message(inbox, sender="bob@partner.example", text=SECRET)
    words = " and ".join([body] * 10)
    assert "content_from_other_thread" not in risks(words)


def test_hidden_text_and_a_failed_sender_are_named(risks, known, message):
    message.anomalies = ["hidden_text"]
    message.authentication = Authentication.FAIL
    message.save()
    named = risks("Yes.")
    assert named["hidden_text"].source == message.public_id
    assert "authenticated" in named["lookalike_sender"].english


def test_a_reply_without_a_policy_is_checked_by_the_workspace_s_first(risks, known, workspace):
    save_version(
        ReplyPolicy, workspace=workspace, name="House", content="forbidden_phrases: [for free]\n"
    )
    assert risks("You get it for free.")["forbidden_phrase"].excerpt == "for free"


def test_the_first_policy_of_another_workspace_of_the_same_person_counts_nothing(message, known):
    elsewhere = factories.make_workspace()
    save_version(
        ReplyPolicy, workspace=elsewhere, name="Theirs", content="forbidden_phrases: [for free]\n"
    )
    user = factories.make_person_user(message.workspace)
    Membership.objects.create(user=user, workspace=elsewhere)
    person = factories.person_actor(user)
    draft = draft_reply(actor=person, thread=message.thread, body="You get it for free.")
    assert "forbidden_phrase" not in {risk.flag for risk in find_risks(person, draft)}


def test_what_looks_like_a_secret_is_named(risks, known):
    assert "contains_sensitive_data" in risks("The card is 4111 1111 1111 1111.")


def test_a_secret_in_the_subject_or_in_a_file_is_named(actor, message, known):
    card = b"The card is 4111 1111 1111 1111."
    draft = draft_reply(actor=actor, thread=message.thread, body="As you asked.")
    assert "contains_sensitive_data" not in {risk.flag for risk in find_risks(actor, draft)}
    attach_to_draft(draft=draft, filename="card.txt", content_type="text/plain", content=card)
    assert "contains_sensitive_data" in {risk.flag for risk in find_risks(actor, draft)}
    draft = draft_reply(actor=actor, thread=message.thread, body="As you asked.")
    draft.subject = card.decode()
    assert "contains_sensitive_data" in {risk.flag for risk in find_risks(actor, draft)}


@pytest.mark.parametrize(
    "case",
    [
        ("offer.pdf", b"%PDF-1.7", set()),
        ("table.xlsx", b"PK\x03\x04", set()),
        ("setup.exe", b"MZ", {"runs"}),
        ("table.xlsm", b"PK\x03\x04", {"runs"}),
        ("offer.pdf", b"MZ\x90", {"program"}),
        ("page.html", b"<p>Hi</p>", {"scripted"}),
        ("offer.pdf.exe", b"MZ", {"runs", "deceptive"}),
    ],
)
def test_a_file_that_does_more_than_show_is_named(actor, message, known, case):
    name, content, reasons = case
    draft = draft_reply(actor=actor, thread=message.thread, body="As you asked.")
    kind = "application/octet-stream"
    attach_to_draft(draft=draft, filename=name, content_type=kind, content=content)
    flags = {risk.flag: risk.findings for risk in find_risks(actor, draft)}
    assert {one.reason for one in flags.get("risky_attachment", ())} == reasons
    assert all(one.excerpt == name for one in flags.get("risky_attachment", ()))


@pytest.mark.parametrize("hidden", ["\u200b", "\ufeff", "\u00ad", "\U000e0066\U000e006f", "\u2063"])
def test_characters_that_nobody_sees_are_named(risks, known, hidden):
    flag = risks(f"Yes, on{hidden} Friday.")["hidden_text"]
    assert f"U+{ord(hidden[0]):04X}" in flag.english


def test_letters_that_are_joined_are_not_hidden(risks, known):
    assert risks("می\u200cخواهم ❤\ufe0f 👩\u200d🔧") == {}


@pytest.mark.parametrize(
    "case",
    [
        ("Yes, at p\u0430ypal.", "letters", "p\u0430ypal"),
        ("Yes." + "\n" * 12 + "Send it on.", "gap", "Send it on."),
        ("A \t\nB\t \nC\t\nD  \t\nE", "blanks", ""),
    ],
)
def test_words_blanks_and_gaps_that_deceive_are_named(risks, known, case):
    body, reason, excerpt = case
    flag = risks(body)["hidden_text"]
    assert (flag.reason, flag.excerpt) == (reason, excerpt)


def test_mail_whose_two_texts_differ_is_named_where_it_is_answered(risks, known, message):
    message.anomalies = ["alternatives_differ"]
    message.save()
    flag = risks("Yes.")["hidden_text"]
    assert (flag.reason, flag.source) == ("alternatives", message.public_id)


CROWD = [f"guest{number}@party.example" for number in range(55)]


@pytest.fixture
def crowded(actor, inbox, message):
    """Answer the question to 55 new addresses, with hidden characters and words from elsewhere."""
    factories.make_message(inbox, sender="bob@partner.example", text=SECRET)
    message.anomalies = ["hidden_text"]
    message.save()
    draft = draft_reply(actor=actor, thread=message.thread, body=f"Hi\u200b. {SECRET}")
    draft.to = [{"email": email} for email in CROWD]
    return find_risks(actor, draft)


def test_no_flag_is_lost_behind_many_of_another_kind(crowded):
    """The first 50 were kept: 55 new recipients made hidden text and a borrowed passage vanish."""
    assert {flag.flag: flag.count for flag in crowded} == {
        "hidden_text": 2, "content_from_other_thread": 1, "new_recipient": 55,
        "recipient_added": 55,
    }  # fmt: skip


def test_a_flag_names_all_that_raised_it(crowded):
    found = {flag.flag: [finding.excerpt for finding in flag.findings] for flag in crowded}
    assert found["new_recipient"] == CROWD


def test_the_gravest_flag_comes_first(crowded):
    assert [flag.severity for flag in crowded] == ["high", "high", "medium", "medium"]


def test_what_composing_found_stays_with_the_draft_and_what_is_found_anew_does_not(actor, message):
    old = [
        found("low_confidence", "unsure", percent="40%"),
        found("new_recipient", "new", excerpt="old@x.example"),
    ]
    draft = draft_reply(actor=actor, thread=message.thread, body="Yes.", risk_flags=old)
    risks = {risk.flag: risk.findings for risk in find_risks(actor, draft)}
    assert (
        risks["low_confidence"][0].english
        == "The agent is only 40% sure that the draft meets its goal."
    )
    assert [one.excerpt for one in risks["new_recipient"]] == ["ada@customer.example"]


# -- whom it goes to, and where its words come from --------------------------------------------------
def of_new(actor, draft):
    return [risk for risk in find_risks(actor, draft) if risk.flag == "new_recipient"]


def test_whoever_gets_it_is_looked_at_in_copy_and_in_blind_copy_too(actor, message, known):
    draft = draft_reply(actor=actor, thread=message.thread, body="Yes.")
    draft.cc, draft.bcc = [{"email": "bo@other.example"}], [{"email": "cy@other.example"}]
    (risk,) = of_new(actor, draft)
    assert [(one.excerpt, one.reason, one.source) for one in risk.findings] == [
        ("bo@other.example", "new", None), ("cy@other.example", "new", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "brought", [{"cc": [{"email": "Bo@other.example"}]}, {"text": "Ask bo@other.example, please."}]
)
def test_an_address_that_a_mail_names_comes_from_that_mail(actor, message, known, brought):
    named = factories.make_message(message.inbox, thread=message.thread, **brought)
    factories.make_message(message.inbox, thread=message.thread)
    draft = draft_reply(actor=actor, thread=message.thread, body="Yes.")
    draft.cc = [{"email": "bo@other.example"}]
    (risk,) = of_new(actor, draft)
    assert [(one.reason, one.source) for one in risk.findings] == [
        ("only_in_mail", named.public_id)
    ]


def test_whom_we_know_imitates_nobody_although_their_address_looks_alike(risks, message):
    know(message, "finance@lantern-supplies.example", sent_count=9, contact_count=20)
    know(message, "finance@1antern-supplies.example", sent_count=1, contact_count=2)
    know(message, "payments@elsewhere.example", sent_count=1, contact_count=2)
    message.from_email = "finance@1antern-supplies.example"
    message.reply_to = [{"email": "payments@elsewhere.example"}]
    message.save()
    assert risks("Yes.") == {}


def test_the_source_of_a_link_is_the_newest_mail_of_the_thread_that_came_in_with_it(
    risks, known, inbox, message
):
    link, thread = "https://pay.elsewhere.example/now", message.thread
    factories.make_message(inbox, thread=thread, text=f"See {link} please.")
    newest = factories.make_message(inbox, thread=thread, text=f"Again, see {link} please.")
    factories.make_message(inbox, thread=thread, text=f"You mean {link}?", direction="outbound")
    factories.make_message(inbox, thread=thread, text="Well?")
    gone = factories.make_message(inbox, thread=thread, text=f"Still {link}.")
    type(gone).objects.filter(pk=gone.pk).update(deleted_at=gone.received_at)
    factories.make_message(inbox, text=f"Elsewhere {link}.")
    assert risks(f"As you wrote: {link}")["external_link"].source == newest.public_id


def test_a_link_to_ourselves_is_no_risk(risks, known):
    assert risks("It stands at https://lantern.example/offer for you.") == {}
    factories.make_inbox(factories.make_workspace(), "office@rival.example")
    assert "external_link" in risks("It stands at https://rival.example/offer for you.")


def test_whom_the_policy_blocks_gets_nothing(risks, known, workspace):
    rules = "recipients:\n  block: [customer.example]\n"
    save_version(ReplyPolicy, workspace=workspace, name="House", content=rules)
    assert risks("Yes.")["policy_blocked"].excerpt == "ada@customer.example"


def test_the_policies_of_other_workspaces_say_nothing_here(risks, known):
    save_version(
        ReplyPolicy, workspace=factories.make_workspace(), name="House",
        content="forbidden_phrases: [for free]\n",
    )  # fmt: skip
    assert risks("You get it for free.") == {}


def test_hidden_characters_are_counted_and_each_is_named_once(risks, known):
    flag = risks("Y\u200bes\u200b, o\u2063n Friday.")["hidden_text"]
    assert dict(flag.params)["count"] in {3, "3"}
    assert dict(flag.params)["codes"] == "U+200B, U+2063"


def test_only_of_the_mail_that_a_letter_rests_on_it_counts_whether_its_sender_was_proven(
    actor, message, known
):
    """What others wrote in between is not what is answered; what the draft cites is."""
    draft = draft_reply(actor=actor, thread=message.thread, body="Yes.")
    unproven = {"thread": message.thread, "authentication": Authentication.FAIL}
    factories.make_message(message.inbox, **unproven)
    cited = factories.make_message(message.inbox, **unproven)
    assert find_risks(actor, draft) == []
    draft.cited.add(cited)
    (risk,) = find_risks(actor, draft)
    assert [(one.reason, one.excerpt, one.source) for one in risk.findings] == [
        ("unauthenticated", "ada@customer.example", cited.public_id)
    ]


def test_what_a_draft_itself_is_flagged_for_names_the_draft(actor, inbox):
    draft = create_draft(
        actor=actor, inbox=inbox, identity=inbox.account.identities.get(),
        to=["ada@customer.example"], subject="Hi", body="Invisible\u200b mark",
        attachments=[NewAttachment("tool.exe", "application/octet-stream", b"MZ")],
    )  # fmt: skip
    named = {
        one.source for flag in find_risks(actor, draft) for one in flag.findings
        if flag.flag in {"hidden_text", "risky_attachment"}
    }  # fmt: skip
    assert named == {draft.public_id}
