"""What about a letter is as it was before: links and accounts of those whom it goes to."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agents.approval.checks.shown import Shown, join_groups
from agents.evidence.claims.records import AttachedFile
from inbox.flags import Finding
from inbox.models import Draft
from inbox.policies.policy import Policy
from inbox.rfc5322.addresses.mailbox_providers import PUBLIC_DOMAINS
from inbox.rfc5322.addresses.parsing import stands_in

# Who is paid, and by whom; more accounts are a list of them.
_MOST_ACCOUNTS = 2


@dataclass(frozen=True)
class Usual:
    """What is known of a letter that may make a finding of its policy idle.

    `read` are texts that all outsiders have read, or may; `inside`: it stays in our own house.
    """

    draft: Draft
    attached: Sequence[AttachedFile]
    shown: Shown
    read: Sequence[str]
    inside: bool

    def leave_out(self, findings: Iterable[Finding], policy: Policy) -> Iterator[Finding]:
        """Yield the findings, but for links and accounts that are no news to its readers.

        What a policy says itself, of links or of accounts, stays.
        """
        findings = list(findings)
        accounts = {join_groups(one.excerpt) for one in findings if ("what", "iban") in one.params}
        watched = "iban" in policy.fields.redactions or len(accounts) > _MOST_ACCOUNTS
        for one in findings:
            if one.flag == "external_link":
                usual = not policy.fields.allowed_links and self._knows_host(one)
            else:
                is_account = ("what", "iban") in one.params
                usual = is_account and not watched and self._knows_account(one.excerpt)
            if not usual:
                yield one

    def _knows_host(self, one: Finding) -> bool:
        host = dict(one.params).get("host", "").removeprefix("www.")
        theirs = {
            email.rpartition("@")[2].lower()
            for email in (it["email"] for it in [*self.draft.to, *self.draft.cc, *self.draft.bcc])
            if email.lower() in self.shown.known
        } - PUBLIC_DOMAINS  # fmt: skip
        if any(host == it or host.endswith(f".{it}") for it in theirs):
            return True
        open_words = one.excerpt in self.draft.body or one.excerpt in self.draft.subject
        if not open_words and any(host in it.lowered for it in self.shown.trusted if host):
            return True
        if not self.inside:
            return False
        passed_on = (it for it in self.shown.strange if stands_in(it.author, self.draft.body))
        return any(host in it.lowered for it in (*self.shown.trusted, *passed_on) if host)

    def _knows_account(self, words: str) -> bool:
        if words not in self.draft.body or any(words in one.text for one in self.attached):
            return False
        wanted = join_groups(words)
        return self.inside or any(wanted in join_groups(text) for text in self.read)
