"""Where the links of a draft lead: to what strangers named, or elsewhere than they say."""

import re
from collections.abc import Iterable, Iterator, Sequence

from agents.approval.checks.shown import Shown, ShownText
from agents.evidence.claims.records import AttachedFile
from inbox.flags import Finding, found
from inbox.models import Draft
from inbox.policies.links import Link, ascii_host, find_links, find_mislabelled, shown_host
from inbox.rfc5322.addresses.lookalikes import domain_deceives, unicode_domain

_LONGEST_EXCERPT = 200


def find_bad_links(
    shown: Shown,
    draft: Draft,
    attached: Iterable[AttachedFile],
    strange: Sequence[ShownText],
    own_domains: frozenset[str],
) -> Iterator[Finding]:
    """Yield the links of a draft that a stranger alone named, and those of it that deceive.

    `strange` are the texts of strangers that count, as of whom the draft does not go back to.
    """
    yield from _find_strange(shown, draft, strange, own_domains)
    yield from _find_deceptive((draft.subject, draft.body, *(one.text for one in attached)))


def _find_strange(
    shown: Shown, draft: Draft, strange: Sequence[ShownText], own_domains: frozenset[str]
) -> Iterator[Finding]:
    """Yield the links to hosts that strangers alone named, but for hosts of ours.

    A link below a host that a stranger named leads to them as well.
    """
    links = _links(draft) if strange else ()
    for host, link in {_plain(one.host): one for one in links if one.host}.items():
        above = _above(host)
        naming = next((one for one in strange if any(_names(one, it) for it in above)), None)
        if naming is None or own_domains & above or any(_names(it, host) for it in shown.trusted):
            continue
        yield found(
            "link_from_stranger", "host", by=naming.author or naming.ref.public_id,
            host=shown_host(host), excerpt=link.words[:_LONGEST_EXCERPT],
            source=naming.ref.public_id,
        )  # fmt: skip


def _find_deceptive(texts: Iterable[str]) -> Iterator[Finding]:
    """Yield the links whose words name another host, or whose host looks like another."""
    for text in texts:
        for link, named in find_mislabelled(text):
            yield found(
                "deceptive_link", "label", named=named[:_LONGEST_EXCERPT],
                host=shown_host(link.host), excerpt=link.words[:_LONGEST_EXCERPT],
            )  # fmt: skip
        for link in find_links(text):
            if domain_deceives(link.host):
                words = link.words[:_LONGEST_EXCERPT]
                yield found("deceptive_link", "letters", host=shown_host(link.host), excerpt=words)


def _links(draft: Draft) -> list[Link]:
    return list(find_links(f"{draft.subject}\n{draft.body}"))


def _plain(host: str) -> str:
    return unicode_domain(host).removeprefix("www.")


def _above(host: str) -> set[str]:
    """Return a host, and those above it that have a name of their own."""
    labels = host.split(".")
    return {".".join(labels[place:]) for place in range(max(len(labels) - 1, 1))}


def _names(one: ShownText, host: str) -> bool:
    """Return True if a text names a host, also as that of an address; not within a longer name."""
    return any(
        it in one.lowered and re.search(rf"(?<![\w-]){re.escape(it)}(?![\w-]|\.\w)", one.lowered)
        for it in {host, ascii_host(host)}
    )
