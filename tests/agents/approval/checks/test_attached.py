"""Files that go with a draft: what of them is read, and which do more than show something."""

from shutil import rmtree

import pytest

from agents.approval.checks.attached import find_risky, read_attached
from agents.evidence.claims.records import AttachedFile
from inbox.models import Draft
from inbox.operations.drafts.writing import attach_to_draft, draft_reply
from tests.cases import in_one_test

RUN = (
    "exe com scr pif cpl bat cmd ps1 psm1 vb vbs vbe js jse wsf wsh hta msi msp mst jar apk dmg pkg "
    "app command sh reg inf lnk url desktop iso img vhd vhdx chm gadget dll sys one xll "
    "docm dotm xlsm xltm xlam xlsb pptm potm ppsm ppam sldm"
)
PAGES = "html htm shtml xhtml mht mhtml svg svgz"
SHOWN = "pdf doc docx xls xlsx ppt pptx odt ods txt csv jpg jpeg png gif zip"
PROGRAMS = {
    "of Linux": b"\x7fELF\x02", "of Windows": b"MZ\x90", "of Java or of both Macs": b"\xca\xfe\xba\xbe",
    "of a Mac": b"\xcf\xfa\xed\xfe\x07", "a script": b"#!/bin/sh",
    "a shortcut": b"L\x00\x00\x00\x01\x14\x02",
}  # fmt: skip


def reasons(name, beginning=b""):
    return [one.reason for one in find_risky([AttachedFile(name, beginning=beginning)], None)]


@in_one_test("ending", RUN.split())
def test_what_a_system_runs_or_what_holds_macros_is_named(ending):
    assert reasons(f"Offer.{ending}") == ["runs"]
    assert reasons(f"OFFER.{ending.upper()}") == ["runs"]
    assert reasons(f"Offer.{ending}.txt") == reasons(f"{ending}") == []


@in_one_test("ending", PAGES.split())
def test_a_page_that_may_run_scripts_is_named(ending):
    assert reasons(f"Offer.{ending}") == reasons(f"OFFER.{ending.upper()}") == ["scripted"]


@in_one_test("ending", SHOWN.split())
def test_what_only_shows_something_is_not_named_and_what_looks_like_it_is(ending):
    assert reasons(f"Offer.{ending}", b"%PDF") == []
    for between in (".", " .", "_" * 50 + ".", "-."):
        assert reasons(f"Offer.{ending}{between}xyz") == ["deceptive"]
    assert reasons(f"Offer.{ending.upper()}.XYZ") == ["deceptive"]


@in_one_test("kind", PROGRAMS)
def test_a_program_is_one_whatever_it_is_called(kind):
    assert reasons("Offer.pdf", PROGRAMS[kind]) == ["program"]


@in_one_test("sign", [*"\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"])
def test_a_name_that_is_turned_round_deceives(sign):
    assert reasons(f"Offer{sign}fdp.xyz") == ["deceptive"]


def test_a_file_has_one_reason_of_what_it_does_and_may_deceive_besides():
    assert reasons("Offer.pdf.exe", b"MZ") == ["runs", "deceptive"]
    assert reasons("Offer.html", b"#!/bin/sh") == ["program"]


@pytest.fixture
def attached(actor, message):
    """Attach a file to an answer; return what is read of it."""

    def attached(name, content, kind="application/octet-stream"):
        draft = draft_reply(actor=actor, thread=message.thread, body="As you asked.")
        attach_to_draft(draft=draft, filename=name, content_type=kind, content=content)
        [one] = read_attached(draft)
        return one

    return attached


@pytest.mark.django_db
def test_what_is_called_something_else_is_read_where_it_is_a_text(attached):
    assert attached("page.html", b"<p>Seven <b>boats</b></p>", "text/html").text == "Seven boats"
    assert attached("boats.dat", "Seven böats".encode()).text == "Seven böats"
    assert attached("boats.dat", "Seven böats".encode("latin-1")).text == ""
    assert attached("boats.dat", b"Seven \x00 boats").text == ""


@pytest.mark.django_db
def test_of_a_large_file_only_the_beginning_is_looked_at(attached):
    large = attached("boats.txt", b"boats " * 100_000, "text/plain")
    assert (large.text, large.beginning) == ("", b"boats boats boat")
    assert attached("boats.txt", b"boats " * 80_000, "text/plain").text


@pytest.mark.django_db
def test_a_file_whose_bytes_are_lost_has_a_name_alone(actor, message, settings):
    draft = draft_reply(actor=actor, thread=message.thread, body="As you asked.")
    attach_to_draft(
        draft=draft, filename="a.pdf", content_type="application/pdf", content=b"%PDF-1.7"
    )
    rmtree(settings.MEDIA_ROOT)
    assert read_attached(draft) == [AttachedFile("a.pdf")]


def test_what_is_not_stored_has_no_files():
    assert read_attached(Draft()) == []
