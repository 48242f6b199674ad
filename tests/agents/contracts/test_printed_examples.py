"""The examples that the contract of the verbs prints run as they are printed."""

import json

import pytest

from agents.dispatching.dispatch import call
from agents.errors import ToolError
from tests import factories

pytestmark = pytest.mark.django_db
# The contract leaves the account out.
LIST_FILES = """
{
  "resource": "files",
  "parameters": {
    "account_id": "...",
    "path": "/",
    "limit": 25
  }
}
"""
SEARCH_EMAILS = """
{
  "resource": "emails",
  "parameters": {
    "query": "quarterly report",
    "account_id": "...",
    "entity_types": "message"
  }
}
"""


@pytest.fixture
def read(inbox):
    return lambda text: json.loads(text.replace("...", inbox.account.public_id))


def test_the_files_of_the_root_are_listed(actor, read):
    assert call("list", read(LIST_FILES), actor).result == []


def test_emails_are_searched_by_the_schema_of_unified_search(actor, inbox, read):
    message = factories.make_message(inbox, subject="The quarterly report", text="Attached.")
    found = call("search", read(SEARCH_EMAILS), actor).result
    assert [email["id"] for email in found["message"]] == [message.public_id]
    assert set(found) == {"message"}


def test_what_the_resource_fixes_is_not_given_otherwise(actor, read):
    wanted = read(SEARCH_EMAILS)
    wanted["parameters"]["entity_types"] = "event"
    with pytest.raises(ToolError) as caught:
        call("search", wanted, actor)
    assert caught.value.details["errors"][0]["pointer"] == "/parameters/entity_types"
