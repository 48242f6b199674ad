"""What stands in the sentences of flags by a code: the kinds of sensitive data."""

from django.utils.translation import gettext_noop as _

SENSITIVE = {
    "iban": _("a bank account (IBAN)"),
    "card": _("a card number"),
    "ssn": _("a social security number"),
    "secret": _("a password or key"),
    "phone": _("a phone number"),
    "email": _("an e-mail address"),
}
