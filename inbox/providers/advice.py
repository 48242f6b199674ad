"""What providers want before they let mail programs in, by the names of their presets."""

from typing import Final

from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

ADVICE: Final[dict[str, ReasonText]] = {
    "gmail": _(
        "Google wants an app password: 16 letters, made for one program. Two-step "
        "verification must be on first. A Workspace administrator may have switched app "
        "passwords off; then use OAuth."
    ),
    "outlook": _(
        "Microsoft takes no passwords here any more, only OAuth tokens of a client that "
        "you registered. IMAP must be switched on in the mailbox first, under Settings, "
        "Mail, Forwarding and IMAP."
    ),
    "microsoft365": _(
        "Microsoft takes OAuth tokens of a client that your organisation registered. An "
        "administrator may have to switch on IMAP and Authenticated SMTP for the mailbox."
    ),
    "icloud": _(
        "Apple wants an app-specific password, made under Sign-In and Security. Two-"
        "factor authentication must be on first. If the login is refused, try the part "
        "before the @ as the user name."
    ),
    "yahoo": _("Yahoo wants an app password, made under Account security."),
    "aol": _("AOL wants an app password, made under Account security."),
    "fastmail": _("Fastmail wants an app password with access to mail (IMAP and SMTP)."),
    "posteo": _("The password is the one of your Posteo account."),
    "mailbox.org": _(
        "The password is the one of your account or, where a second factor is on, an "
        "application password for IMAP and SMTP."
    ),
    "gmx": _(
        "Access by POP3 and IMAP must be switched on in the settings of GMX first. With "
        "two-factor authentication GMX wants an application password."
    ),
    "gmx.com": _("Access by POP3 and IMAP must be switched on in the settings of GMX first."),
    "web.de": _(
        "Access by POP3 and IMAP must be switched on in the settings of WEB.DE first. "
        "With two-factor authentication WEB.DE wants an application password."
    ),
    "t-online": _("Telekom wants the password for mail programs, made in its customer centre."),
    "freenet": _("Access by IMAP must be switched on in the settings of freenet first."),
    "ionos": _("The password is the one of the mailbox, not of the customer account."),
    "ionos.com": _("The password is the one of the mailbox, not of the customer account."),
    "strato": _("The password is the one of the mailbox, not of the customer account."),
    "zoho": _(
        "IMAP must be switched on in the settings of Zoho first. With two-factor "
        "authentication Zoho wants an application-specific password; its data centres "
        "elsewhere have hosts of their own."
    ),
    "zoho.eu": _(
        "IMAP must be switched on in the settings of Zoho first. With two-factor "
        "authentication Zoho wants an application-specific password."
    ),
    "proton": _(
        "Proton Bridge must run on the machine of this server. It shows the password to "
        "use, which is not yours at Proton. Its certificate is its own: the operator "
        "exports it and names it with the command `connect --ca-file`."
    ),
    "yandex": _(
        "Yandex wants an app password. Access by IMAP must be switched on in the settings"
        " of the mailbox first."
    ),
    "orange": _("The password is the one of your Orange account."),
    "free": _("Authenticated SMTP must be switched on in the settings of Free first."),
    "comcast": _("Third-party access must be switched on in the settings of the mailbox first."),
    "infomaniak": _(
        "Infomaniak wants a password made for this device, in the settings of the mailbox."
    ),
    "migadu": _("The password is the one of the mailbox."),
    "runbox": _("The password is the one of your account or, with two factors, an app password."),
    "mailfence": _("IMAP and SMTP come with a paid plan."),
    "gandi": _("The password is the one of the mailbox."),
}
