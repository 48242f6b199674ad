"""The mirror as a cache: when the provider is asked, what is counted, and what is forgotten."""

from datetime import timedelta

import pytest
from django.utils import timezone

from inbox.background.jobs import run_due
from inbox.errors import DomainError
from inbox.models import Account, Job, MirrorEntry
from inbox.operations.mirror_entries import touched
from inbox.syncing import mirror
from inbox.syncing.hits import HITS
from inbox.syncing.mirror import AGES, consult, measure
from tests import factories

KEY = {"folder": "inbox", "limit": 10}


@pytest.fixture
def account(inbox):
    return inbox.account


def ask(account, resource="email_list", key=KEY, **how):
    return consult(account=account, resource=resource, key=key, **how)


def age(seconds):
    """Make every entry so many seconds older."""
    for entry in MirrorEntry.objects.all():
        entry.cached_at -= timedelta(seconds=seconds)
        entry.save()


def test_the_first_reading_is_a_miss_and_the_next_is_fresh(account):
    first, second = ask(account), ask(account)
    assert (first.status, second.status) == ("miss", "fresh")
    assert first.cached_at == second.cached_at


@pytest.mark.parametrize("resource", AGES)
def test_an_answer_ages_from_fresh_to_stale_to_a_miss(account, resource):
    fresh, stale = AGES[resource]
    ask(account, resource)
    age(fresh - 5)
    assert ask(account, resource).status == "fresh"
    age(6)
    assert ask(account, resource).status == "stale"
    age(stale - fresh)
    assert ask(account, resource).status == "miss"


def test_what_is_stale_is_asked_for_once_in_the_background(account):
    ask(account)
    age(200)
    stale = [ask(account).status for _ in range(3)]
    assert (stale, Job.objects.filter(kind="mirror.refresh").count()) == (["stale"] * 3, 1)
    run_due()
    assert ask(account).status == "fresh"


def test_a_refresh_that_comes_after_an_invalidation_does_not_undo_it(account):
    entry = MirrorEntry.objects.get(pk=ask(account).entry_id)
    touched(account=account, resources=("email_list",))
    mirror.refresh({"entry_id": entry.pk})
    mirror.refresh({"entry_id": entry.pk + 1000})
    assert ask(account).status == "miss"


@pytest.mark.parametrize("how", [{"use_cache": False}, {"force_refresh": True}])
def test_who_wants_no_cache_has_the_provider_asked_first(account, how):
    before = ask(account)
    again = ask(account, **how)
    assert again.status == "miss"
    assert again.cached_at > before.cached_at


def test_after_a_write_the_next_reading_is_not_older_than_it(account):
    ask(account)
    ask(account, "contact_list")
    written_at = timezone.now()
    touched(account=account, resources=("email_list", "search"))
    again = ask(account)
    assert again.status == "miss"
    assert again.cached_at >= written_at
    assert ask(account, "contact_list").status == "fresh"


def test_hits_and_misses_are_counted(account):
    for _ in range(3):
        found = ask(account)
    ask(account, force_refresh=True)
    HITS.write()
    entry = MirrorEntry.objects.get(pk=found.entry_id)
    assert (entry.hits, entry.misses) == (2, 2)


def test_other_parameters_are_another_entry_and_the_name_tells_which(account):
    ask(account)
    ask(account, key={**KEY, "limit": 11})
    ask(account, "email", key="msg_abc")
    names = set(MirrorEntry.objects.values_list("name", flat=True))
    assert len(names) == 3
    assert f"email:{account.public_id}:msg_abc" in names
    assert all(name.split(":")[1] == account.public_id for name in names)


def test_the_order_of_the_parameters_makes_no_difference(account):
    ask(account)
    assert ask(account, key=dict(reversed(KEY.items()))).status == "fresh"


@pytest.mark.parametrize("key", ["x" * 101, "ünï", "a\nb", ["a"], None])
def test_a_key_that_is_no_plain_id_stands_as_its_digest(account, key):
    found = ask(account, "search", key)
    digest = MirrorEntry.objects.get(pk=found.entry_id).name.rpartition(":")[2]
    assert len(digest) == 32


def test_a_resource_that_is_none_is_a_mistake_of_ours(account):
    with pytest.raises(ValueError, match="none of the resources"):
        ask(account, "emails")


def test_a_size_is_noted_where_the_answer_was_made_anew(account):
    first = ask(account)
    measure(first, 1234)
    measure(ask(account), 99)
    assert MirrorEntry.objects.get(pk=first.entry_id).bytes == 1234


def test_two_accounts_share_nothing(account):
    other = factories.make_inbox(account.workspace).account
    ask(account)
    assert ask(other).status == "miss"


def test_where_the_provider_cannot_be_asked_nothing_is_called_fresh(account):
    account.provider = "carrier_pigeon"
    for _ in range(2):
        with pytest.raises(DomainError) as caught:
            ask(account)
        assert caught.value.code == "provider_error"


def test_entries_that_nobody_uses_are_removed(account):
    old = ask(account).entry_id
    MirrorEntry.objects.update(used_at=timezone.now() - mirror.KEEP_UNUSED - timedelta(hours=1))
    kept = ask(account, "search").entry_id
    assert mirror.remove_unused() == 1
    assert [entry.pk for entry in MirrorEntry.objects.all()] == [kept] != [old]


def test_an_account_keeps_a_bounded_number_of_entries(account, monkeypatch):
    monkeypatch.setattr(mirror, "MOST_ENTRIES", 10)
    monkeypatch.setattr(mirror, "_TRIMMED_EVERY", 5)
    for number in range(60):
        ask(account, "search", {"query": f"word {number}"})
    assert MirrorEntry.objects.count() < 15
    assert ask(account, "search", {"query": "word 59"}).status == "fresh"


def test_one_statement_serves_a_fresh_reading(account, django_assert_num_queries):
    account = Account.objects.select_related("sync").get(pk=account.pk)
    ask(account)
    with django_assert_num_queries(1):
        ask(account)
