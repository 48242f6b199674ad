"""The mail of an account at Graph as a store tells it, whatever its answers are."""

from contextlib import suppress
from datetime import UTC, datetime

import pytest

from inbox.providers.graph.mail.states import patch, state_of, takes_keyword
from inbox.providers.mail_changes import MailChange
from inbox.providers.mail_store import StoreError
from tests.inbox.syncing.mirrors import letter
from tests.machines.api_server import Reply

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
TOLD = {
    "isRead": False, "isDraft": False, "flag": {"flagStatus": "complete"}, "parentFolderId": "box",
    "categories": ["Red category", "$seen", "a,b"],
}  # fmt: skip


def test_categories_are_keywords_and_none_passes_for_a_mark():
    state = state_of(TOLD)
    assert (state.mailboxes, state.keywords) == ({"box"}, {"red category"})


@pytest.mark.parametrize("name", list(TOLD))
def test_what_is_told_in_part_is_no_state(name):
    assert state_of({key: value for key, value in TOLD.items() if key != name}) is None


def test_a_change_writes_what_differs_and_leaves_the_rest():
    change = MailChange(frozenset({"$seen", "errand"}), frozenset({"red category", "$flagged"}))
    assert patch(TOLD, change, NOW) == {"isRead": True, "categories": ["$seen", "a,b", "errand"]}
    assert patch(TOLD, MailChange(remove_keywords=frozenset({"$seen"})), NOW) == {}


def test_what_is_no_category_is_not_told():
    assert [word for word in ("$seen", "$answered", "$junk", "two words", "a,b", "x" * 256)
            if takes_keyword(word)] == ["$seen", "$answered", "two words"]  # fmt: skip


def test_many_folders_come_by_pages(store, mail):
    for number in range(210):
        mail.add_folder(f"Folder {number}")
    assert len(store.mailboxes()) == 216
    assert store.calls == 2


def test_what_is_gone_is_told_and_removed_again_without_trouble(store, mail):
    kept = mail.arrive(letter("Letter"))
    assert store.destroy([kept.id]) == {}
    assert store.destroy([kept.id]) == {}
    [refusal] = store.apply({kept.id: MailChange(frozenset({"$seen"}))}).values()
    assert refusal.kind == "gone"
    assert list(store.fetch([kept.id])) == []
    assert store.states([kept.id]) == {}


def test_a_folder_that_has_just_gone_tells_nothing(store, mail):
    folder = mail.add_folder("Travel")
    position = store.changes(folder.id, "").position
    mail.remove_folder(folder)
    for before in ("", position):
        found = store.changes(folder.id, before)
        assert (found.changed, found.gone, found.more) == ({}, frozenset(), False)


def test_a_link_to_another_host_is_not_followed(store, mail, graph, monkeypatch):
    honest = graph.answer

    def lying(call):
        reply = honest(call)
        if isinstance(reply.body, dict) and "value" in reply.body:
            reply.body["@odata.nextLink"] = "http://127.0.0.1:9/v1.0/me?$skiptoken=x"
        return reply

    monkeypatch.setattr(graph, "answer", lying)
    with pytest.raises(StoreError) as caught:
        store.changes(mail.folder("inbox").id, "")
    assert caught.value.kind == "permanent"


@pytest.mark.parametrize(
    "body",
    [
        [], "x", {"value": 7}, {"value": [], "@odata.deltaLink": "http://["}, {"value": [7, {"id": 3}, {}]}, {"responses": {"id": "0"}},
        {"responses": [{"id": "0", "status": 200, "body": {"value": [{"id": "x"}]}}]},
        {"value": [{"id": "x", "isRead": 3}], "@odata.deltaLink": "http://[", "responses": []},
    ],
)  # fmt: skip
def test_answers_that_make_no_sense_break_nothing(store, mail, graph, monkeypatch, body):
    kept = mail.arrive(letter("Letter"))
    monkeypatch.setattr(graph, "answer", lambda call: Reply(body=body))
    for ask in (
        store.mailboxes, lambda: store.changes(kept.folder, ""), lambda: store.states([kept.id]),
        lambda: list(store.fetch([kept.id])), lambda: store.destroy([kept.id]),
        lambda: store.apply({kept.id: MailChange(frozenset({"$seen"}))}),
        lambda: store.create("Archive", "archive"),
    ):  # fmt: skip
        with suppress(StoreError):
            ask()
