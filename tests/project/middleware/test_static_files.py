"""Static files, whole and in part."""

import warnings

from asgiref.sync import async_to_sync
from django.test import AsyncClient

STYLE = "/static/chancery/styles/classic.css"


def fetch(method="get", **headers):
    """Ask for a style sheet by way of Django's ASGI handler."""
    return async_to_sync(getattr(AsyncClient(), method))(STYLE, headers=headers)


def test_a_file_is_served_under_asgi_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        response = fetch()
    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/css")
    assert len(response.content) == int(response.headers["Content-Length"])


def test_part_of_a_file_is_served():
    whole = fetch()
    part = fetch(Range="bytes=3-9")
    assert (part.status_code, part.content) == (206, whole.content[3:10])


def test_an_unchanged_file_is_not_sent_again():
    whole = fetch()
    again = fetch(**{"If-Modified-Since": whole.headers["Last-Modified"]})
    assert (again.status_code, again.content) == (304, b"")


def test_head_tells_the_length_and_sends_nothing():
    response = fetch("head")
    assert (response.status_code, response.content) == (200, b"")
    assert int(response.headers["Content-Length"]) > 0
