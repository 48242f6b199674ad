"""Whole messages, read as they come in: what they are and where they go."""

from email.message import EmailMessage
from pathlib import Path
from typing import Any

import yaml

from inbox.classify import Classification, Facts, MessageFacts, classify
from inbox.operations.activities.routing import route
from inbox.rfc5322.parse import ParsedMessage, parse_message
from tests.cases import in_one_test

MAILS = yaml.safe_load(Path(__file__).with_name("mails.yaml").read_text("utf-8"))


def write(mail: dict[str, Any]) -> bytes:
    message = EmailMessage()
    message["Subject"] = mail["subject"]
    message["To"] = "office@lantern.example"
    for name, value in mail.get("headers", {}).items():
        message[name] = value
    message.set_content(mail["body"])
    if "html" in mail:
        message.add_alternative(mail["html"], subtype="html")
    if "attachment" in mail:
        main, sub = mail["attachment"].split("/")
        message.add_attachment(b"content", maintype=main, subtype=sub, filename="part")
    return f"From: {mail['from']}\r\n".encode() + message.as_bytes()


def facts(mail: dict[str, Any], parsed: ParsedMessage) -> Facts:
    auth = mail.get("auth", "none")
    return Facts(
        title=parsed.subject,
        content=parsed.new_text,
        sender_email=parsed.sender.email,
        sender_name=parsed.sender.name,
        message=MessageFacts(
            headers=parsed.signals,
            list_id=parsed.list_id,
            authentication=auth,
            authentication_results={"dmarc": auth},
            anomalies=parsed.anomalies,
            language=parsed.language,
            attachments=tuple(part.content_type for part in parsed.attachments),
            has_calendar=any(part.content_type == "text/calendar" for part in parsed.attachments),
            addressed=mail.get("to", "to"),
            answers_us=mail.get("ours", False),
            answers_others=mail.get("theirs", False),
            answered=mail.get("answered", False),
            received=mail.get("received", 0),
            sent=mail.get("sent", 0),
            imitates=mail.get("imitates", ""),
            html_text=parsed.html,
        ),
    )


def read(mail: dict[str, Any]) -> Classification:
    return classify(facts(mail, parse_message(write(mail))))


@in_one_test("mail", MAILS)
def test_the_mail_is_what_a_person_would_say(mail):
    found = read(mail)
    is_now = f"{found.activity_type}, {found.autonomy_tier}, {route(found.autonomy_tier, found.confidence)}"
    assert is_now == mail["is"], found.reasoning
    assert mail.get("says", "") in found.reasoning
    assert found.urgency == mail.get("urgency", found.urgency)
    assert set(mail.get("personas", [])) <= set(found.personas)


@in_one_test("mail", MAILS)
def test_options_are_for_what_is_shown(mail):
    found = read(mail)
    assert (found.option_framing is None) == (found.autonomy_tier <= 2)
    assert 1 <= len(found.suggested_actions) <= 3
    assert 0 <= found.confidence <= 1


def test_there_are_enough_mails():
    assert len(MAILS) >= 40
