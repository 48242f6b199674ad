"""What providers want before they let mail programs in, by the names of their presets."""

from typing import Final

from inbox.reasons import ReasonText
from inbox.reasons import phrase as _

ADVICE: Final[dict[str, ReasonText]] = {
    "gmail": _(
        "Google requires an app password: 16 letters, created for one program. Two-step "
        "verification must be on first. A Workspace administrator may have turned app passwords "
        "off; then use OAuth."
    ),
    "outlook": _(
        "Microsoft no longer accepts passwords here, only OAuth tokens from a client that you "
        "registered. First turn on IMAP in the mailbox, under Settings, Mail, Forwarding and "
        "IMAP."
    ),
    "microsoft365": _(
        "Microsoft requires OAuth tokens from a client that your organization registered. An "
        "administrator may have to turn on IMAP and Authenticated SMTP for the mailbox."
    ),
    "icloud": _(
        "Apple requires an app-specific password, created under Sign-In and Security. Two-factor "
        "authentication must be on first. If the sign-in is refused, try the part before the @ "
        "as the user name."
    ),
    "yahoo": _("Yahoo requires an app password, created under Account security."),
    "aol": _("AOL requires an app password, created under Account security."),
    "fastmail": _("Fastmail requires an app password with access to mail (IMAP and SMTP)."),
    "posteo": _("Use the password of your Posteo account."),
    "mailbox.org": _(
        "Use the password of your account or, if a second factor is on, an application password "
        "for IMAP and SMTP."
    ),
    "gmx": _(
        "First turn on access by POP3 and IMAP in the GMX settings. With two-factor "
        "authentication GMX requires an application password."
    ),
    "gmx.com": _("First turn on access by POP3 and IMAP in the GMX settings."),
    "web.de": _(
        "First turn on access by POP3 and IMAP in the WEB.DE settings. With two-factor "
        "authentication WEB.DE requires an application password."
    ),
    "t-online": _(
        "Telekom requires the password for mail programs, created in its customer center."
    ),
    "freenet": _("First turn on IMAP access in the freenet settings."),
    "ionos": _("Use the password of the mailbox, not of the customer account."),
    "ionos.com": _("Use the password of the mailbox, not of the customer account."),
    "strato": _("Use the password of the mailbox, not of the customer account."),
    "zoho": _(
        "First turn on IMAP in the Zoho settings. With two-factor authentication Zoho requires "
        "an application-specific password; its data centers elsewhere have their own servers."
    ),
    "zoho.eu": _(
        "First turn on IMAP in the Zoho settings. With two-factor authentication Zoho requires "
        "an application-specific password."
    ),
    "proton": _(
        "Proton Bridge must run on the same machine as this server. Use the password it shows, "
        "which is not your Proton password. It has its own certificate: the operator exports it "
        "and adds it with the command `connect --ca-file`."
    ),
    "yandex": _(
        "Yandex requires an app password. First turn on IMAP access in the settings of the mailbox."
    ),
    "orange": _("Use the password of your Orange account."),
    "free": _("First turn on authenticated SMTP in the Free settings."),
    "comcast": _("First turn on third-party access in the settings of the mailbox."),
    "infomaniak": _(
        "Infomaniak requires a password for this device, created in the settings of the mailbox."
    ),
    "migadu": _("Use the password of the mailbox."),
    "runbox": _(
        "Use the password of your account or, with two-factor authentication, an app password."
    ),
    "mailfence": _("IMAP and SMTP come with a paid plan."),
    "gandi": _("Use the password of the mailbox."),
}
# The same for calendars and contacts, where that is another thing.
OF_COLLECTIONS: Final[dict[str, ReasonText]] = {
    "nextcloud": _(
        "The address is the one at which you open it in the browser. Create an app password for "
        "this, in its settings under Security; your own works only without two-factor "
        "authentication."
    ),
    "icloud": _(
        "Apple requires an app-specific password, created under Sign-In and Security. Two-factor "
        "authentication must be on first. iCloud Drive is not open to other programs."
    ),
    "yahoo": ADVICE["yahoo"],
    "fastmail": _(
        "Fastmail requires an app password with access to calendars and contacts (CalDAV and "
        "CardDAV)."
    ),
    "posteo": ADVICE["posteo"],
    "mailbox.org": _(
        "Use the password of your account or, if a second factor is on, an application password "
        "for calendars and contacts."
    ),
    "gmx": _("With two-factor authentication GMX requires an application password."),
    "web.de": _("With two-factor authentication WEB.DE requires an application password."),
}
