"""Bytes by their address: attachments, and what is sealed to leave."""

import base64
import hashlib

import pytest

from agents.models import Receipt
from tests.agents.surfaces.collection_rows import MAKERS, Place
from tests.agents.surfaces.test_rest import error

pytestmark = pytest.mark.django_db


@pytest.fixture
def attachment(inbox, agent):
    return MAKERS["attachments"](Place(inbox, agent), 1)


def address(row):
    return f"v1/attachments/{row.public_id}/content"


@pytest.mark.parametrize(
    ("name", "saved"),
    [("offer.pdf", 'attachment; filename="offer.pdf"'), ("../../etc/passwd", 'attachment; filename="_.._etc_passwd"'),
     ("a\r\nSet-Cookie: x=1.html", 'attachment; filename="aSet-Cookie_ x=1.html"'), ("", 'attachment; filename="attachment"')],
)  # fmt: skip
def test_an_attachment_is_saved_and_never_shown(api, attachment, name, saved):
    attachment.filename, attachment.content_type = name, "text/html"
    attachment.save()
    answer = api.get(address(attachment))
    assert (answer.content, answer["Content-Type"]) == (b"walnut 1", "application/octet-stream")
    assert answer["Content-Disposition"] == saved
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"].startswith("sandbox; default-src 'none'")


def test_the_bytes_come_with_their_hash_and_once(api, attachment):
    first = api.get(address(attachment))
    digest = hashlib.sha256(first.content)
    assert first["ETag"] == f'"{digest.hexdigest()}"'
    assert first["Repr-Digest"] == f"sha-256=:{base64.b64encode(digest.digest()).decode()}:"
    again = api.get(address(attachment), If_None_Match=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    assert Receipt.objects.filter(tool="read_attachment_content").count() == 2


def test_the_sealed_bytes_are_read_by_an_address_of_their_own(api, propose):
    submission = propose().submission
    listed = (
        api.get("v1/submissions").content
        + api.get(f"v1/submissions/{submission.public_id}").content
    )
    assert b"Here is the offer" not in listed
    answer = api.get(f"v1/submissions/{submission.public_id}/mime")
    assert answer.content == submission.mime_bytes
    assert answer["ETag"] == f'"{submission.sha256}"'


def test_bytes_that_the_storage_has_lost_are_our_fault(api, attachment, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "empty"
    error(api.get(address(attachment)), 500, "internal")


def test_what_is_asked_for_as_something_else_or_with_a_query_is_refused(api, attachment):
    error(api.get(address(attachment), Accept="application/json"), 406, "not_acceptable")
    error(api.get(f"{address(attachment)}?inline=1"), 400, "invalid_input")


def test_the_bytes_of_a_deleted_message_are_gone(api, attachment):
    attachment.message.deleted_at = attachment.message.received_at
    attachment.message.save()
    error(api.get(address(attachment)), 404, "not_found")
    error(api.get(f"v1/attachments/{attachment.public_id}"), 404, "not_found")
    assert api.get("v1/attachments").json() == {"attachments": []}
