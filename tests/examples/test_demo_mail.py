"""The demo's mail holds what a small company gets, and every message of it is read well."""

import email
import re
import zlib
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from agents.operations.setup.demo import ADDRESS, AUTHSERV_ID, DEMO_MAIL
from agents.operations.setup.demo_mail import days_to, shift_dates
from calendar_app.icalendar import read_itip
from inbox.html import sanitise
from inbox.rfc5322.authentication import read_authentication
from inbox.rfc5322.parse import ParsedMessage, parse_message


@cache
def raw(name: str) -> bytes:
    """Return the file that is called so behind its number."""
    (path,) = DEMO_MAIL.glob(f"[0-9][0-9][0-9]-{name}.eml")
    return path.read_bytes()


@cache
def read(name: str) -> ParsedMessage:
    return parse_message(raw(name))


def names() -> list[str]:
    return [path.stem[4:] for path in sorted(DEMO_MAIL.glob("*.eml"))]


def verdict(name: str) -> str:
    return read_authentication(read(name).authentication_headers, AUTHSERV_ID)[0]


def test_there_are_three_weeks_of_it():
    times = [read(name).sent_at for name in names()]
    assert len(times) >= 45
    assert timedelta(days=19) < max(times) - min(times) < timedelta(days=22)
    assert times == sorted(times)


def test_every_domain_is_one_that_nobody_can_own():
    addresses = re.compile(rb"@([A-Za-z0-9.-]+\.[a-z]{2,})\b")
    for path in DEMO_MAIL.glob("*.eml"):
        for domain in addresses.findall(path.read_bytes()):
            assert domain.endswith(b".example"), (path.name, domain)


@pytest.mark.parametrize("name", names())
def test_a_message_is_read_whole(name):
    message = read(name)
    assert message.message_id.endswith(".example>")
    assert message.sent_at is not None
    assert "@" in message.sender.email
    assert message.subject
    assert message.text.strip()
    assert "\ufffd" not in message.subject + message.text + message.sender.name
    assert set(message.anomalies) <= {"hidden_text", "reply_to_differs"}


def test_our_own_answers_are_among_it():
    ours = [name for name in names() if read(name).sender.email == ADDRESS]
    assert len(ours) >= 12
    assert all(verdict(name) == "none" for name in ours)


def test_what_came_in_was_judged_by_the_company_s_own_server():
    received = [name for name in names() if read(name).sender.email != ADDRESS]
    judged = {name: verdict(name) for name in received}
    assert judged.pop("new-bank-details") == "fail"
    assert judged.pop("undelivered") == "none"
    assert set(judged.values()) == {"pass"}


def test_the_forged_invoice_imitates_a_correspondent_s_address():
    assert read("hosting-invoice").sender.email == "accounts@harrowhost.example"
    forged = read("new-bank-details")
    assert forged.sender.email == "accounts@harrovvhost.example"
    assert forged.sender.name == read("hosting-invoice").sender.name
    assert [one.email for one in forged.reply_to] == ["harrow.accounts.dept@freemail.example"]


def test_a_message_instructs_machines_in_hidden_text():
    message = read("partnership")
    assert "hidden_text" in message.anomalies
    assert "ignore all previous" in message.html
    assert "IMPORTANT INSTRUCTIONS" not in message.text


@pytest.mark.parametrize(
    ("name", "language", "words"),
    [
        ("finanzamt-frist", "de", "Kassennachschau"),
        ("japanese-labels", "ja", "修理票のラベルに漢字"),
        ("japanese-distributor", "ja", "販売代理店"),
        ("arabic-enquiry", "ar", "الاشتراك الشهري"),
        ("no-puedo-exportar", "es", "felicitaciones"),
        ("demande-de-devis", "fr", "réparation"),
    ],
)
def test_it_speaks_several_languages(name, language, words):
    assert read(name).language == language
    assert words in read(name).text


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("japanese-labels", b"charset=iso-2022-jp"),
        ("japanese-distributor", b"charset=utf-8\nContent-Transfer-Encoding: base64"),
        ("kassenexport-frage", b"charset=iso-8859-1\nContent-Transfer-Encoding: quoted-printable"),
        ("label-printer", b"format=flowed"),
    ],
)
def test_it_is_encoded_in_several_ways(name, header):
    assert header in raw(name)


@pytest.mark.parametrize(
    ("name", "filename"),
    [
        ("hosting-invoice", "invoice-HH-20931.pdf"),
        ("label-invoice", "LP-5567.pdf"),
        ("label-reminder", "LP-5567-copy.pdf"),
        ("application", "CV Marlow Finch.pdf"),
    ],
)
def test_its_pdfs_can_be_opened(name, filename):
    (attachment,) = read(name).attachments
    pdf = attachment.content
    assert (attachment.filename, attachment.content_type) == (filename, "application/pdf")
    assert pdf.startswith(b"%PDF-1.4")
    # The table at the end of the file says where each object begins.
    table = int(re.search(rb"startxref\n(\d+)\n%%EOF\n$", pdf)[1])
    assert pdf[table:].startswith(b"xref\n0 8\n0000000000 65535 f \n")
    places = re.findall(rb"(\d{10}) 00000 n ", pdf[table:])
    for number, place in enumerate(places, 1):
        assert pdf[int(place) :].startswith(b"%d 0 obj\n" % number)


def test_its_pictures_can_be_opened():
    found = [
        part.content
        for name in ("the-cake", "no-puedo-exportar")
        for part in read(name).attachments
        if part.content_type == "image/png"
    ]
    assert len(found) == 2
    for png in found:
        at = png.index(b"IDAT") + 4
        size = int.from_bytes(png[at - 8 : at - 4], "big")
        assert png.startswith(b"\x89PNG")
        assert zlib.decompress(png[at : at + size])


def test_an_invitation_is_moved_by_its_update():
    first, second = (
        read_itip(part.content).events[0]
        for name in ("demo-invitation", "demo-invitation-moved")
        for part in read(name).attachments[:1]
    )
    assert first.uid == second.uid
    assert (first.sequence, second.sequence) == (0, 1)
    assert (first.timezone, first.organizer.email) == ("Europe/London", "priya@wheelhouse.example")
    assert second.start - first.start == timedelta(days=1, hours=4)


def test_an_invitation_from_outlook_is_cancelled():
    (part,) = read("vat-meeting-cancelled").attachments
    cancelled = read_itip(part.content)
    assert cancelled.method == "CANCEL"
    assert cancelled.events[0].timezone == "Europe/London"


def test_newsletters_say_how_to_leave_them():
    newsletters = [name for name in names() if read(name).signals.get("list-unsubscribe")]
    assert len(newsletters) >= 5
    assert all(read(name).list_id for name in newsletters)


def test_remote_pictures_and_pixels_are_blocked():
    pages = email.message_from_bytes(raw("workshop-weekly-120")).walk()
    html = next(part for part in pages if part.get_content_type() == "text/html")
    safe = sanitise(html.get_payload(decode=True).decode())
    assert safe.remote_images >= 4
    assert "img.workshopweekly" not in safe.html
    assert "click.workshopweekly.example/o.gif" not in safe.html


def test_quoted_history_is_told_from_what_is_new():
    for name in ("still-no-refund", "done-waiting", "two-questions", "finanzamt-frist"):
        message = read(name)
        assert len(message.new_text) < len(message.text), name
        assert message.new_text in message.text or "wrote" not in message.new_text


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("wheelhouse-out-of-office", "auto-replied"),
        ("receipt-paperthin", "auto-generated"),
        ("undelivered", "auto-replied"),
    ],
)
def test_machines_say_that_they_are_machines(name, kind):
    assert read(name).signals["auto-submitted"] == kind


def test_a_bounce_reports_the_delivery_that_failed():
    report = email.message_from_bytes(raw("undelivered"))
    assert report.get_content_type() == "multipart/report"
    assert [part.get_content_type() for part in report.get_payload()] == [
        "text/plain",
        "message/delivery-status",
        "text/rfc822-headers",
    ]
    assert report["Return-Path"] == "<>"


def test_a_message_goes_to_a_crowd():
    assert len(read("annual-dinner").cc) >= 40


def test_a_message_holds_another():
    kinds = [part.content_type for part in read("vat-return").attachments]
    assert kinds == ["message/rfc822"]


def test_a_thread_has_a_hole_in_it():
    known = {read(name).message_id for name in names()}
    missing = set(read("re-moving").references) - known
    assert len(missing) == 1
    assert missing < set(read("re-moving-sunday").references)


def test_a_reply_has_lost_its_references():
    reply = read("re-christmas-hours")
    assert (reply.in_reply_to, reply.references) == ("", ())
    assert reply.subject == f"Re: {read('christmas-hours').subject}"


def test_moving_the_dates_and_back_changes_no_byte():
    for name in names():
        assert shift_dates(shift_dates(raw(name), 403), -403) == raw(name)


def test_only_headers_and_events_move():
    before, after = raw("demo-invitation"), shift_dates(raw("demo-invitation"), 100)
    changed = {
        old.split(b":")[0].split(b";")[0].strip()
        for old, new in zip(before.splitlines(), after.splitlines(), strict=True)
        if old != new
    }
    assert changed == {
        b"for <hello@kettlewheel.example>",
        b"Date",
        b"DTSTART",
        b"DTEND",
        b"DTSTAMP",
    }
    assert len(before) == len(after)


@pytest.mark.parametrize(
    "now", [datetime(2026, 11, 21, tzinfo=UTC), datetime(2031, 3, 1, tzinfo=UTC)]
)
def test_the_newest_message_is_less_than_a_day_old(now):
    files = [path.read_bytes() for path in Path(DEMO_MAIL).glob("*.eml")]
    days = days_to(now, files)
    newest = max(parse_message(shift_dates(file, days)).sent_at for file in files)
    assert timedelta(0) <= now - newest < timedelta(days=1)
