"""Collections of a made-up server, and what a sync does with the items of one."""

import itertools

from inbox.models import RemoteCollection, RemoteItem, RemoteSource
from inbox.syncing.collections.keepers import Incoming, keeper_of

_numbers = itertools.count(1)


def make_collection(account, kind, **fields):
    """Make a collection that a server lists, as one that is taken and was read once."""
    source, _made = RemoteSource.objects.get_or_create(
        workspace=account.workspace, account=account, provider="caldav", name="dav.example"
    )
    return RemoteCollection.objects.create(
        workspace=account.workspace, source=source, kind=kind, href=f"/{kind}/{next(_numbers)}/",
        **({"name": "Private", "is_taken": True, "is_own": True} | fields),
    )  # fmt: skip


def keep(collection, *raws):
    """Keep new items as a sync does; returns their keys."""
    keeper = keeper_of(collection.kind)
    news = []
    for raw in raws:
        fields = keeper.read(raw, "")
        news.append(Incoming("", fields, frozenset(fields), raw))
    keys = keeper.keep(collection, news)
    now = keeper.find(collection, keys)
    RemoteItem.objects.bulk_create(
        RemoteItem(
            collection=collection, href=f"/{key}-{next(_numbers)}", key=key, raw=raw,
            agreed=now[key],
        )
        for key, raw in zip(keys, raws, strict=True)
    )  # fmt: skip
    return keys


def keep_again(collection, key, raw):
    """Keep another state of an item, in which nothing was changed here."""
    keeper = keeper_of(collection.kind)
    row = RemoteItem.objects.get(collection=collection, key=key)
    fields, before = keeper.read(raw, ""), keeper.read(bytes(row.raw), "")
    changed = frozenset(
        it for it in fields.keys() | before.keys() if fields.get(it) != before.get(it)
    )
    [ours] = keeper.find(collection, [key]).values()
    merged = {name: value for name, value in ours.items() if name not in changed}
    merged |= {name: fields[name] for name in changed if name in fields}
    keeper.keep(collection, [Incoming(key, merged, changed, raw)])
    row.raw, row.agreed = raw, found(collection, key)
    row.save()


def found(collection, key):
    """Return the fields of ours."""
    return keeper_of(collection.kind).find(collection, [key])[key]


def written(collection, key):
    """Return the item as the server would be sent it, with what was changed here."""
    keeper = keeper_of(collection.kind)
    row = RemoteItem.objects.get(collection=collection, key=key)
    ours = found(collection, key)
    names = ours.keys() | row.agreed.keys()
    changed = frozenset(it for it in names if ours.get(it) != row.agreed.get(it))
    return keeper.write(bytes(row.raw), ours, changed, "")
