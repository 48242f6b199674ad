"""The settings of signing in at providers of mail, which `project.settings` takes over."""

import os

from django.core.exceptions import ImproperlyConfigured

# The client ID by which this server is known to Google, for “Sign in with Google”; empty: no such
# button. How to get one: docs/how-to/sign-in-to-providers.md.
GOOGLE_CLIENT_ID = os.environ.get("CHANCERY_GOOGLE_CLIENT_ID", "")
# The secret that Google gave with the client ID.
GOOGLE_CLIENT_SECRET = os.environ.get("CHANCERY_GOOGLE_CLIENT_SECRET", "")
# Where Google signs people in.
GOOGLE_ISSUER = os.environ.get("CHANCERY_GOOGLE_ISSUER", "https://accounts.google.com")
# Google's mail server for reading, as host:port and tls, starttls or none; empty: Gmail's.
GOOGLE_IMAP = os.environ.get("CHANCERY_GOOGLE_IMAP", "")
# Google's mail server for sending, in the same form; empty: Gmail's.
GOOGLE_SMTP = os.environ.get("CHANCERY_GOOGLE_SMTP", "")
# Where Google's interfaces answer, all below one address; empty: at Google's own.
GOOGLE_API = os.environ.get("CHANCERY_GOOGLE_API", "")

# The application (client) ID by which this server is known to Microsoft; empty: no button.
MICROSOFT_CLIENT_ID = os.environ.get("CHANCERY_MICROSOFT_CLIENT_ID", "")
# The client secret of that application; empty: it is a public client.
MICROSOFT_CLIENT_SECRET = os.environ.get("CHANCERY_MICROSOFT_CLIENT_SECRET", "")
# Whose accounts may sign in: a tenant's ID or domain, organizations, consumers, or common for all.
MICROSOFT_TENANT = os.environ.get("CHANCERY_MICROSOFT_TENANT", "common")
# Where Microsoft signs people in, without the tenant.
MICROSOFT_LOGIN = os.environ.get("CHANCERY_MICROSOFT_LOGIN", "https://login.microsoftonline.com")
# Microsoft's mail server for reading, as host:port and tls, starttls or none; empty: Outlook's.
MICROSOFT_IMAP = os.environ.get("CHANCERY_MICROSOFT_IMAP", "")
# Microsoft's mail server for sending, in the same form; empty: Outlook's.
MICROSOFT_SMTP = os.environ.get("CHANCERY_MICROSOFT_SMTP", "")
# Where Microsoft Graph answers, such as a national cloud's; empty: https://graph.microsoft.com/v1.0.
MICROSOFT_API = os.environ.get("CHANCERY_MICROSOFT_API", "")

# The address of any other OpenID provider whose sign-in opens mailboxes, such as
# https://id.example.org/realms/office; empty: none. Members sign in by CHANCERY_OIDC_ISSUER.
OPENID_ISSUER = os.environ.get("CHANCERY_OPENID_ISSUER", "")
# The client ID by which this server is known to that provider.
OPENID_CLIENT_ID = os.environ.get("CHANCERY_OPENID_CLIENT_ID", "")
# The secret that the provider gave with it; empty: it is a public client.
OPENID_CLIENT_SECRET = os.environ.get("CHANCERY_OPENID_CLIENT_SECRET", "")
# What the button calls the provider; empty: by its host.
OPENID_NAME = os.environ.get("CHANCERY_OPENID_NAME", "")
# The scopes that its mail servers want, separated by spaces; empty: none but those of signing in.
OPENID_MAIL_SCOPE = os.environ.get("CHANCERY_OPENID_MAIL_SCOPE", "")
# Its mail server for reading, such as mail.example.org:993 tls; empty: by the address.
OPENID_IMAP = os.environ.get("CHANCERY_OPENID_IMAP", "")
# Its mail server for sending, such as mail.example.org:587 starttls; empty: by the address.
OPENID_SMTP = os.environ.get("CHANCERY_OPENID_SMTP", "")
if bool(OPENID_ISSUER) != bool(OPENID_CLIENT_ID):
    raise ImproperlyConfigured("CHANCERY_OPENID_ISSUER and CHANCERY_OPENID_CLIENT_ID go together")
