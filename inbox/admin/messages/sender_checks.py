"""What the receiving server said of a sender (RFC 8601), in words, and whose word it is."""

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from inbox.models import Message
from inbox.rfc5322.authentication import own_servers

# By method and result; %(domain)s is the one that the method looked at.
_WORDS: dict[tuple[str, str], Any] = {
    ("spf", "pass"): gettext_lazy("%(domain)s allows this server to send its mail."),
    ("spf", "fail"): gettext_lazy("%(domain)s does not allow this server to send its mail."),
    ("spf", "softfail"): gettext_lazy("%(domain)s does not list this server as one of its own."),
    ("spf", "none"): gettext_lazy("%(domain)s does not say who may send its mail."),
    ("spf", "neutral"): gettext_lazy("%(domain)s does not say who may send its mail."),
    ("dkim", "pass"): gettext_lazy("%(domain)s signed it, and it has not been changed since."),
    ("dkim", "fail"): gettext_lazy("The signature of %(domain)s does not match."),
    ("dkim", "none"): gettext_lazy("It is not signed."),
    ("dmarc", "pass"): gettext_lazy("The domain in From, %(domain)s, confirms it."),
    ("dmarc", "fail"): gettext_lazy("The domain in From, %(domain)s, does not confirm it."),
    ("dmarc", "none"): gettext_lazy(
        "The domain in From, %(domain)s, has published no rule for it."
    ),
    ("compauth", "pass"): gettext_lazy("Overall, the server considers the sender genuine."),
    ("compauth", "fail"): gettext_lazy("Overall, the server considers the sender forged."),
    ("arc", "pass"): gettext_lazy("Servers that passed it on vouch for what they saw."),
}
_PROPERTIES = {
    "spf": ("spf.smtp.mailfrom",),
    "dkim": ("dkim.header.d",),
    "dmarc": ("dmarc.header.from",),
}
METHODS = ("dmarc", "dkim", "spf", "arc", "compauth")


@dataclass(frozen=True, slots=True)
class Checked:
    """What one method found."""

    method: str
    result: str
    words: str


@dataclass(frozen=True, slots=True)
class SenderCheck:
    """The verdict, what it rests on, and whose word it is ("" where nobody's counts)."""

    verdict: str
    summary: str
    server: str
    checks: tuple[Checked, ...]


def check_sender(message: Message) -> SenderCheck:
    """Return what is known of a message's sender, from the one server that its account trusts."""
    results = {str(key): str(value) for key, value in message.authentication_results.items()}
    found = tuple(_check(method, results) for method in METHODS if method in results)
    server = results.get("authserv_id", "")
    return SenderCheck(message.authentication, _summary(message, server), server, found)


def _summary(message: Message, server: str) -> str:
    account = message.inbox.account
    own = own_servers(str(account.settings.get("own_servers", ""))).domains
    trusted = account.authserv_id or " · ".join(own)
    if server:
        return _("Checked by %(server)s, the server whose checks this account uses.") % {
            "server": server
        }
    if trusted:
        return _(
            "Not checked: it has no result from %(server)s, the server whose checks this account "
            "uses."
        ) % {"server": trusted}
    return _(
        "Not checked: this account uses no server's sender checks, and what a message says about "
        "itself proves nothing."
    )


def _check(method: str, results: dict[str, str]) -> Checked:
    result = results[method]
    domain = next((results[name] for name in _PROPERTIES.get(method, ()) if name in results), "")
    words = _WORDS.get((method, result))
    shown = domain.rpartition("@")[2] or _("the sender's domain")
    return Checked(method, result, str(words) % {"domain": shown} if words else "")
