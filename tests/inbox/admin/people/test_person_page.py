"""A person's page: what is known of them, their card, and two of them made one."""

import pytest
from django.test import Client

from inbox.formats.vcard import read_cards
from inbox.models import Person, PersonEmail, Role
from tests import factories
from tests.agents.admin.desk import make_activity

pytestmark = pytest.mark.django_db


def sign_in(workspace, role) -> Client:
    client = Client()
    client.force_login(factories.make_person_user(workspace, role))
    return client


@pytest.fixture
def ada(workspace) -> Person:
    return factories.make_person(
        workspace, fn="Ada Byron", org="Customer", received_count=3, sent_count=1, contact_count=4
    )


def place(person, *rest: str) -> str:
    return "/".join(("/admin/people", person.public_id, *rest, ""))


def test_the_page_says_how_each_address_is_known(workspace, ada):
    for position, (email, counts) in enumerate(
        {
            "sent@x.example": {"sent_count": 1},
            "card@x.example": {"by_person": True},
            "noted@x.example": {},
        }.items(),
        1,
    ):
        PersonEmail.objects.create(
            workspace=workspace, person=ada, email=email, position=position, **counts
        )
    text = sign_in(workspace, Role.VIEWER).get(place(ada)).content.decode()
    for words in (
        "Mail has come from it.",
        "We wrote to it but got no mail from it.",
        "It is on the contact card",
        "An agent added it to the contact card",
    ):
        assert words in text


def test_the_page_leads_to_their_newest_threads_and_activities(workspace, inbox, ada):
    message = factories.make_message(inbox)
    make_activity(message, person=ada)
    factories.make_message(inbox, sender="bo@other.example", subject="Another's")
    response = sign_in(workspace, Role.VIEWER).get(place(ada))
    assert response.context["threads"] == [message.thread]
    assert [one.message for one in response.context["activities"]] == [message]
    assert "Another's" not in response.content.decode()


def test_mail_is_theirs_however_they_write_their_address(workspace, inbox, ada):
    message = factories.make_message(inbox, sender="Ada@customer.example", subject="Capitals")
    make_activity(message, person=ada)
    page = sign_in(workspace, Role.VIEWER).get(place(ada))
    assert [one.pk for one in page.context["threads"]] == [message.thread_id]


def test_the_page_costs_the_same_queries_however_much_there_was(
    workspace, inbox, ada, django_assert_max_num_queries
):
    client = sign_in(workspace, Role.OWNER)
    factories.make_message(inbox)
    client.get(place(ada))
    with django_assert_max_num_queries(16) as few:
        client.get(place(ada))
    for _ in range(15):
        make_activity(factories.make_message(inbox), person=ada)
    with django_assert_max_num_queries(len(few.captured_queries)):
        client.get(place(ada))


def test_the_card_is_a_download(workspace, ada):
    response = sign_in(workspace, Role.VIEWER).get(place(ada, "card"))
    assert [card.fn for card in read_cards(response.content)] == ["Ada Byron"]
    assert response["Content-Disposition"].startswith("attachment")


def test_two_of_one_name_are_made_one_by_an_owner(workspace, ada):
    other = factories.make_person(workspace, "ada@home.example", fn="Ada Byron")
    owner = sign_in(workspace, Role.OWNER)
    assert place(ada, "merge") in owner.get(place(ada)).content.decode()
    response = owner.post(place(ada, "merge"), {"other": other.public_id})
    assert response["Location"] == place(ada)
    assert Person.objects.get().emails.count() == 2


def test_merging_is_for_owners_and_by_post_alone(workspace, ada):
    other = factories.make_person(workspace, "ada@home.example", fn="Ada Byron")
    reviewer = sign_in(workspace, Role.REVIEWER)
    assert place(ada, "merge") not in reviewer.get(place(ada)).content.decode()
    given = {"other": other.public_id}
    assert reviewer.post(place(ada, "merge"), given).status_code == 403
    assert sign_in(workspace, Role.OWNER).get(place(ada, "merge"), given).status_code == 405
    assert Person.objects.count() == 2


def test_people_of_others_are_not_there(workspace, ada):
    stranger = sign_in(factories.make_workspace(), Role.OWNER)
    foreign = factories.make_person(factories.make_workspace(), "eve@x.example")
    for path in (place(ada), place(ada, "card")):
        assert stranger.get(path).status_code == 404
    owner = sign_in(workspace, Role.OWNER)
    for given in (foreign.public_id, "per_nothing", ""):
        assert owner.post(place(ada, "merge"), {"other": given}).status_code == 404
