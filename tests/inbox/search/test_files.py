"""Files are searched by what the search of mail takes, and by operators of their own."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from inbox.errors import DomainError
from inbox.models import FileNode, Job
from inbox.operations.file_forms import renew_forms
from inbox.operations.files import create_file, create_folder
from inbox.search.files import find_files, keep_files
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def put(actor, inbox):
    def put(path, text=""):
        content = text.encode()
        return create_file(actor=actor, account=inbox.account, path=path, content=content)

    return put


@pytest.fixture
def find(actor, inbox):
    def find(query, **more):
        asked = {"actor": actor, "accounts": [inbox.account], "query": query, **more}
        return [hit.file.name for hit in find_files(**asked)]

    return find


def make_file(account, name, text):
    return FileNode.objects.create(
        workspace=account.workspace, account=account, kind="file", name=name, path=f"/{name}",
        path_key=f"/{name.lower()}", text=text, content_type="text/plain",
    )  # fmt: skip


@pytest.fixture
def drawer(put):
    put("/Offers/2026/June.pdf")
    put("/Offers/May.docx")
    put("/Lamp.txt", "The lamp burns oil, as lamps do.")
    put("/Gas.txt", "The stove burns gas.")
    put("/Müller Straße.txt", "Anbei die Rechnungsnummer für die Lieferung, mit vielen Grüßen.")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("burns -lamp", {"Gas.txt"}),
        ('burns -"burns gas"', {"Lamp.txt"}),
        ('"burns oil"', {"Lamp.txt"}),
        ("oil OR gas", {"Lamp.txt", "Gas.txt"}),
        ("filename:jun", {"June.pdf"}),
        ("name:.TXT -burns", {"Müller Straße.txt"}),
        ("type:pdf", {"June.pdf"}),
        ("type:documents in:offers", {"June.pdf", "May.docx"}),
        ("type:folder", {"Offers", "2026"}),
        ("type:.docx", {"May.docx"}),
        ("folder:/Offers/2026/", {"June.pdf"}),
        ("label:2026 OR name:may", {"June.pdf", "May.docx"}),
        ("in:Off", set()),
        ("type:pdf after:1d", {"June.pdf"}),
        ("type:pdf before:2020", set()),
        ("mueller", {"Müller Straße.txt"}),
        ("muller strasse", {"Müller Straße.txt"}),
        ("name:mueller", {"Müller Straße.txt"}),
        ("name:MÜLLER", {"Müller Straße.txt"}),
        ("Rechnung", {"Müller Straße.txt"}),
        ("lieferungen gruessen", {"Müller Straße.txt"}),
        ("toves", set()),
        ("traße", {"Müller Straße.txt"}),
        ("-lamp type:txt", {"Gas.txt", "Müller Straße.txt"}),
        ("%", set()),
        ("name:%", set()),
        ("   ", set()),
    ],
)
def test_what_is_typed_finds(drawer, find, query, found):
    if query == "name:%":
        with pytest.raises(DomainError, match="name:"):
            find(query)
        return
    assert set(find(query)) == found


def test_what_has_every_word_comes_first_then_its_beginning_then_what_has_some(put, find):
    put("/some.txt", "party party party")
    put("/begun.txt", "summer parties, summer partying")
    put("/whole.txt", "summer, and much later, after many other words, a party")
    put("/open.txt", "summer partridges")
    assert set(find("summer part")) == {"begun.txt", "open.txt", "whole.txt"}
    hits = find("summer party")
    assert set(hits[:2]) == {"whole.txt", "begun.txt"}
    assert hits[-1] in {"some.txt", "open.txt"}
    assert len(hits) == 4


@pytest.mark.parametrize("query", ["after:soon", "type:%%", "before:2026-13-01", 'name:"--"'])
def test_a_value_that_an_operator_does_not_take_is_named(find, query):
    with pytest.raises(DomainError, match=query.partition(":")[0]):
        find(query)


def test_what_no_file_has_as_an_operator_is_words(put, find):
    put("/Report.txt", "re: lamp")
    assert find("re:lamp") == ["Report.txt"]


def test_an_operator_of_what_is_searched_with_files_finds_no_file(drawer, find):
    assert find("burns is:unread", elsewhere=["is"]) == []
    assert set(find("burns -is:unread", elsewhere=["is"])) == {"Gas.txt", "Lamp.txt"}
    assert find("type:pdf", elsewhere=["type"]) == ["June.pdf"]


def test_in_a_text_no_operator_has_a_meaning(put, find):
    put("/Lamp.txt", "type: before the lamp")
    assert find("before:the type:lamp", is_text=True) == ["Lamp.txt"]


def test_a_list_keeps_what_has_every_word(drawer, actor):
    rows = FileNode.objects.visible_to(actor).kept()
    assert {row.name for row in keep_files(actor, rows, "burn oil")} == {"Lamp.txt"}
    assert {row.name for row in keep_files(actor, rows, "tove.tx OR uller")} == set()
    assert {row.name for row in keep_files(actor, rows, "uller stra")} == {"Müller Straße.txt"}
    assert {row.name for row in keep_files(actor, rows, "type:pdf")} == {"June.pdf"}
    with pytest.raises(DomainError, match="no word"):
        keep_files(actor, rows, "%%")


def test_operators_alone_find_the_newest_first(put, find):
    for number in range(3):
        file = put(f"/{number}.txt")
        at = datetime(2026, 3, 1, tzinfo=UTC) - timedelta(days=number)
        FileNode.objects.filter(pk=file.pk).update(modified_at=at)
    assert find("type:text before:2027") == ["0.txt", "1.txt", "2.txt"]
    assert find("type:text before:2027", limit=2) == ["0.txt", "1.txt"]
    assert find(f"after:{timezone.now().year + 100}") == []


def test_files_of_other_accounts_are_no_hits(put, find, inbox):
    other = factories.make_inbox(factories.make_workspace("other"), "office@other.example")
    second = factories.make_inbox(inbox.workspace, "second@lantern.example")
    put("/Lamp.txt", "lamp")
    for account in (other.account, second.account):
        make_file(account, "Lamp.txt", "lamp")
        assert find("lamp", accounts=[account]) == []
        assert find("type:text", accounts=[account]) == []
        assert find("amp", accounts=[account]) == []
    assert find("lamp", accounts=[]) == []
    assert find("lamp", accounts=[inbox.account, second.account]) == ["Lamp.txt"]


def test_where_every_word_is_common_the_newest_are_ranked(put, find, monkeypatch):
    monkeypatch.setattr("inbox.search.rows.index._CANDIDATES", {"sqlite": 3, "postgresql": 3})
    for number in range(6):
        put(f"/{number}.txt", "loom shuttle" if number == 2 else "loom")
    assert find("loom shuttle")[0] == "2.txt"
    assert len(find("loom")) == 6


def test_earlier_files_are_prepared_some_at_a_time(put, find, actor, inbox, monkeypatch):
    monkeypatch.setattr("inbox.operations.renewing.AT_ONCE", 2)
    create_folder(actor=actor, account=inbox.account, path="/Grüße")
    for number in range(2):
        put(f"/{number}.txt", "Viele Grüße aus der Straße")
    FileNode.objects.update(search_extra="")
    assert find("strasse") == []
    renew_forms({"after": 0})
    (job,) = Job.objects.filter(kind="search.files")
    renew_forms(job.payload)
    assert set(find("gruesse")) == {"0.txt", "1.txt", "Grüße"}
    assert Job.objects.filter(kind="search.files").count() == 1
