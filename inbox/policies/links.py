"""The links in a text, with a scheme or without, and the hosts that they lead to; pure."""

from collections.abc import Iterator
from typing import NamedTuple

import regex

from inbox.html.marks import Link as Labelled
from inbox.html.marks import host_of
from inbox.rfc5322.addresses.lookalikes import unicode_domain

# Endings of names that stand alone: programs make links of them.
_ENDING = regex.compile(
    r"(?:com|net|org|info|biz|edu|gov|mil|int|app|dev|online|site|shop|store|xyz|club|top|cloud"
    r"|tech|website|bank|jobs|example|a[cdefgilmoqrstuwxz]|b[abdefghijmnorstwyz]"
    r"|c[acdfghiklmnoruvwxyz]|d[ejkmoz]|e[cegrstu]|f[ijkmor]|g[adefghilmnpqrtuwy]|h[kmnrtu]"
    r"|i[delmnoqrst]|j[emop]|k[eghimnprwyz]|l[abcikrstuvy]|m[aceghklmnopqrstuvwxyz]"
    r"|n[acefgilopruz]|o[m]|p[aefghklmnrtw]|q[a]|r[eosuw]|s[abcdegiklmnorstuvxyz]"
    r"|t[cdfghjklmnortvwz]|u[agksyz]|v[aceginu]|w[fs]|y[et]|z[amw]|xn--[a-z\d-]+)",
    regex.IGNORECASE,
)
# Names of files, and of programs, that look like hosts.
_FILE = regex.compile(
    r"(?:md|py|sh|ps|js|ts|tsx|jsx|db|gz|so|cs|vb|rb|kt|hs|ml|txt|pdf|doc|docx|xls|xlsx|ppt"
    r"|pptx|odt|ods|csv|zip|tar|exe|png|jpg|jpeg|gif|svg|html|htm|php|css|json|xml|yaml|yml"
    r"|toml|ini|cfg|conf|log|sql|bat|eml|ics|vcf)",
    regex.IGNORECASE,
)
_MOST_HOSTS = 200
_PRODUCTS = frozenset({"asp.net", "vb.net", "ado.net"})
_LINK = regex.compile(
    r"(?<![\w@])(?:(?:[a-z]{1,5})?://|www\.)[^\s<>\"'“”»)\]]{3,2000}"
    r"|(?<![\w@.+/:%~=?&#$-])(?P<name>(?:[\p{L}\p{N}-]{1,63}+\.(?=[\p{L}\p{N}-])){1,10}+"
    r"(?P<ending>\p{L}{2,24}+|xn--[a-z\d-]{2,59}+))(?![\w@-]|\.\w)"
    r"(?P<rest>(?::\d{1,5})?[/?#][^\s<>\"'“”»)\]]{0,2000})?",
    regex.IGNORECASE,
)
_BRACKETED = regex.compile(
    r"\[([^\[\]\n]{3,200}+)\]\(\s*+<?([^\s()<>]{3,2000}+)"
    r"|([^\s<>()\[\]\"'“”„«»]{3,200}+)[ \t]{0,3}<((?:https?://|www\.)[^\s<>]{3,2000}+)>",
    regex.IGNORECASE,
)


class Link(NamedTuple):
    """A link as it is written, and its host in lower case; "" where it cannot be read."""

    words: str
    host: str


def find_links(text: str) -> Iterator[Link]:
    """Yield the links of a text, in order, without the marks of the sentence behind them.

    A name of a host counts, too, where it has a path or an ending that programs make links of.
    """
    for match in _LINK.finditer(text):
        if match["name"] is None or _leads_somewhere(match["name"], match["ending"], match["rest"]):
            words = match[0].rstrip(".,;:!?")
            yield Link(words, _host(words))


def without_hosts(text: str) -> str:
    """Return a text without the plain hosts of its links, so that no other reading has others.

    `one.example` would be `1.example` where numbers in words are digits. What is written in
    foreign letters stays: it may be read as another one.
    """
    hosts = dict.fromkeys(it.host for it in find_links(text) if it.host and it.host.isascii())
    if not hosts:
        return text
    longest_first = sorted(list(hosts)[:_MOST_HOSTS], key=len, reverse=True)
    return regex.sub("|".join(map(regex.escape, longest_first)), " ", text, flags=regex.IGNORECASE)


def _leads_somewhere(name: str, ending: str, rest: str | None) -> bool:
    own = name.lower().split(".")[-2]
    if _FILE.fullmatch(ending) or name.lower() in _PRODUCTS or own.isdecimal():
        return False
    if rest:
        return True
    # "It is done.It was": a sentence without its blank.
    return bool(_ENDING.fullmatch(ending)) and len(own) > 1 and not ending.istitle()


def find_mislabelled(text: str) -> Iterator[tuple[Link, str]]:
    """Yield links whose words name another host, and what they name.

    As in Markdown, as programs write the links of HTML (`www.bank.example <https://…>`), and in
    front of an `@`, where nothing leads to.
    """
    for match in _BRACKETED.finditer(text):
        label, target = match[1] or match[3], match[2] or match[4]
        host = _host(target)
        if Labelled(label.strip("*_` "), target, host).misleads:
            yield Link(target, host), label
    for link in find_links(text):
        before, at, _ = link.words.partition("://")[2].partition("/")[0].rpartition("@")
        if at and Labelled(before.partition(":")[0], link.words, link.host).misleads:
            yield link, before


def shown_host(host: str) -> str:
    """Return a host as people see it, and how it is written for machines where that differs."""
    seen = unicode_domain(host)
    return seen if seen.isascii() else f"{seen} ({ascii_host(seen)})"


def ascii_host(host: str) -> str:
    """Return a host with its labels as the DNS has them (RFC 3492)."""
    return ".".join(
        it if it.isascii() else f"xn--{it.encode('punycode').decode()}" for it in host.split(".")
    )


def _host(link: str) -> str:
    # A scheme that was cut off leads nowhere for programs, and for people where it always did.
    return host_of(f"https://{link.partition('://')[2] or link}")
