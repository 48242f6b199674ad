"""Why signing in at a provider came to nothing, in words for the person who wanted it."""

import httpx

from inbox.providers.sign_in.asking import Answer
from inbox.reasons import ReasonText
from inbox.reasons import phrase as _


class SignInError(Exception):
    """Nobody was signed in. `is_passing`: the same may well work later."""

    def __init__(self, words: ReasonText, *, is_passing: bool = False) -> None:
        super().__init__(words)
        self.words = words
        self.is_passing = is_passing


def unreachable(title: str, error: Exception) -> SignInError:
    """Return what to say where a provider gave no answer."""
    is_slow = isinstance(error, httpx.TimeoutException | TimeoutError)
    words = (
        _("%(provider)s did not answer in time. Try again in a moment.", provider=title)
        if is_slow
        else _("%(provider)s cannot be reached from this server.", provider=title)
    )
    return SignInError(words, is_passing=True)


def refused(title: str, answer: Answer) -> SignInError:
    """Return what to say of an answer that is an error; only its code is quoted."""
    said = f" ({answer.error or f'HTTP {answer.status}'})"
    if answer.is_passing:
        words = _("%(provider)s cannot do it right now%(said)s.", provider=title, said=said)
        return SignInError(words, is_passing=True)
    if 300 <= answer.status < 400:
        words = _("%(host)s redirects elsewhere%(said)s; tokens are never sent on.",
                  host=title, said=said)  # fmt: skip
        return SignInError(words)
    return of_code(title, answer.error, said)


def of_code(title: str, code: str, said: str) -> SignInError:
    """Return what an error's code means (RFC 6749 4.1.2.1, 5.2; RFC 8628 3.5)."""
    at = {"provider": title}
    if code == "access_denied":
        return SignInError(_("You did not allow it at %(provider)s. Nothing was changed.", **at))
    if code == "expired_token":
        return SignInError(_("The code has expired before it was entered. Start again."))
    if code == "invalid_grant":
        words = _("%(provider)s no longer accepts this sign-in%(said)s. Start again.",
                  said=said, **at)  # fmt: skip
        return SignInError(words)
    if code in ("invalid_client", "unauthorized_client"):
        words = _("%(provider)s does not accept our client%(said)s: the operator has to check its "
                  "ID and secret.", said=said, **at)  # fmt: skip
        return SignInError(words)
    if code == "invalid_scope":
        words = _("%(provider)s does not grant this to our client%(said)s: the operator has to add "
                  "the scopes there.", said=said, **at)  # fmt: skip
        return SignInError(words)
    return SignInError(_("%(provider)s refuses the sign-in%(said)s.", said=said, **at))
