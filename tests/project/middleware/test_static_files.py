"""Static files, whole, packed and in part, by their own names and by those with a hash."""

import gzip
import warnings
from pathlib import Path

import pytest
from asgiref.sync import async_to_sync
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.test import AsyncClient, override_settings

from project.middleware.static_files import FOREVER

STYLE = "/static/chancery/styles/classic.css"
BUNDLES = ("chancery/pages.css", "chancery/pages.js")


def fetch(place=STYLE, method="get", **headers):
    """Ask for a file by way of Django's ASGI handler."""
    return async_to_sync(getattr(AsyncClient(), method))(place, headers=headers)


def with_another_hash(place):
    stem, digest, suffix = place.rsplit(".", 2)
    return f"{stem}.{digest[::-1]}.{suffix}"


def test_a_file_is_served_under_asgi_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        response = fetch()
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/css")
    assert len(response.content) == int(response.headers["Content-Length"])
    assert response.content == Path(finders.find("chancery/styles/classic.css")).read_bytes()


def test_part_of_a_file_is_served():
    whole = fetch()
    part = fetch(Range="bytes=3-9")
    assert (part.status_code, part.content) == (206, whole.content[3:10])


def test_an_unchanged_file_is_not_sent_again():
    whole = fetch()
    again = fetch(**{"If-None-Match": whole.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    changed = fetch(**{"If-None-Match": '"0123456789ab"'})
    assert (changed.status_code, changed.content) == (200, whole.content)


def test_head_tells_the_length_and_sends_nothing():
    response = fetch(method="head")
    assert (response.status_code, response.content) == (200, b"")
    assert int(response.headers["Content-Length"]) > 0


def test_nothing_is_sent_to_a_file():
    assert fetch(method="post").status_code == 405


@pytest.mark.parametrize("name", [*BUNDLES, "chancery/mail.css", "admin/js/theme.js"])
def test_text_is_packed_for_whoever_takes_it_so(name):
    plain, packed = fetch(static(name)), fetch(static(name), **{"Accept-Encoding": "gzip, br"})
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) == int(packed.headers["Content-Length"]) < len(plain.content)


@pytest.mark.parametrize("name", [*BUNDLES, "chancery/seal.svg", "admin/css/base.css"])
def test_what_is_named_by_its_content_is_kept_for_a_year(name):
    place = static(name)
    assert place != f"/static/{name}"
    response = fetch(place)
    assert response.headers["Cache-Control"] == FOREVER
    assert response.headers["ETag"].strip('"') in place
    unchanged = fetch(place, **{"If-None-Match": response.headers["ETag"]})
    assert (unchanged.status_code, unchanged.headers["Cache-Control"]) == (304, FOREVER)


@pytest.mark.parametrize("name", BUNDLES)
def test_the_name_of_another_version_gets_this_one_and_not_for_long(name):
    response = fetch(with_another_hash(static(name)))
    assert (response.status_code, response.content) == (200, fetch(static(name)).content)
    assert response.headers["Cache-Control"] == "public, max-age=60"
    assert fetch(f"/static/{name}").headers["Cache-Control"] == "public, max-age=60"


@pytest.mark.django_db
@pytest.mark.parametrize(
    "place", ["/static/chancery/none.css", "/static/chancery/none.0123456789ab.css", "/static/"]
)
def test_what_is_not_there_is_not_found(place):
    assert fetch(place).status_code == 404


def test_a_file_that_is_not_there_keeps_its_name():
    assert static("chancery/none.css") == "/static/chancery/none.css"
    assert static("chancery") == "/static/chancery"


def test_while_developing_a_page_gets_what_is_written_now(tmp_path):
    """Its name and its content follow the file, with nothing started anew."""
    sheet = tmp_path / "mine.css"
    sheet.write_text("b { color: red }")
    with override_settings(DEBUG=True, STATICFILES_DIRS=[tmp_path]):
        finders.get_finder.cache_clear()
        first = static("mine.css")
        assert fetch(first).content == b"b { color: red }"
        sheet.write_text("b { color: blue }")
        second = static("mine.css")
        response = fetch(second)
        assert fetch(static("chancery/pages.js")).status_code == 200
    finders.get_finder.cache_clear()
    assert first != second
    assert response.content == b"b { color: blue }"
    assert response.headers["Cache-Control"] == FOREVER
