"""The settings of signing in, which `project.settings` takes over."""

import os

from django.core.exceptions import ImproperlyConfigured

# Who must set up a second factor before they see anything: `owners`, `all`, or nobody.
REQUIRE_MFA = os.environ.get("CHANCERY_REQUIRE_MFA", "")
if REQUIRE_MFA not in {"", "owners", "all"}:
    raise ImproperlyConfigured(
        f"CHANCERY_REQUIRE_MFA is {REQUIRE_MFA!r}; it may be owners or all, or empty"
    )
# For how many minutes after signing in nobody is asked for the password again, where an action
# wants it fresh, such as approving what raised flags.
FRESH_MINUTES = int(os.environ.get("CHANCERY_FRESH_MINUTES", "15"))
# After how many hours somebody has to sign in anew.
SESSION_COOKIE_AGE = 3600 * int(os.environ.get("CHANCERY_SESSION_HOURS", "336"))
# After how many minutes without a sign of its person a session ends; 0: never. An open page that
# only asks for news is no such sign.
IDLE_MINUTES = int(os.environ.get("CHANCERY_IDLE_MINUTES", "720"))
# How many sign-ins may fail within a quarter of an hour under one user name from one address,
# before further ones are refused unread; ten times as many from all addresses; the same number from
# one address within a minute. A browser in which that person has signed in before counts apart.
FAILED_SIGN_INS = int(os.environ.get("CHANCERY_FAILED_SIGN_INS", "10"))
ACCOUNT_ADAPTER = "project.sign_in.adapters.AccountAdapter"
ACCOUNT_FORMS = {"login": "project.sign_in.forms.SignInForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {
    "login": "60/m/ip",
    "login_failed": f"{FAILED_SIGN_INS}/15m/key",
    "login_failed_from": f"{FAILED_SIGN_INS}/m/ip",
    "login_failed_anywhere": f"{10 * FAILED_SIGN_INS}/15m/key",
    # Names that an owner tried to add and could not: what is answered tells whether somebody has
    # them.
    "member_refused": "20/h/user",
    # Programs that register themselves, and the page on which a person lets one in.
    "register_client": "30/h/ip",
    "authorize_client": "60/m/user",
    # Codes from the server's terminal, while there is nobody yet.
    "setup_code": "20/m/ip",
}
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "project.sign_in.passwords.OwnPassword"},
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
MFA_ADAPTER = "project.sign_in.adapters.MfaAdapter"
MFA_FORMS = {
    "authenticate": "project.sign_in.forms.CodeForm",
    "reauthenticate": "project.sign_in.forms.CodeAgainForm",
    "add_webauthn": "project.sign_in.passkeys.AddPasskeyForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
# A finger, a face or a PIN: a passkey does alone where somebody is asked again.
MFA_WEBAUTHN_USER_VERIFICATION = "required"
# Of one address; each sign-in by a passkey is two requests.
MFA_RATE_LIMITS = {"webauthn_login": "30/m/ip"}
MFA_TOTP_ISSUER = "Chancery"
# The code before and the one after do too: clocks differ.
MFA_TOTP_TOLERANCE = 1

# The address of an OpenID Connect provider by which members may sign in too, such as
# https://id.example.org/realms/office; empty: by none.
OIDC_ISSUER = os.environ.get("CHANCERY_OIDC_ISSUER", "")
# The name under which the provider knows this Chancery.
OIDC_CLIENT_ID = os.environ.get("CHANCERY_OIDC_CLIENT_ID", "")
# The secret that the provider gave with it.
OIDC_CLIENT_SECRET = os.environ.get("CHANCERY_OIDC_CLIENT_SECRET", "")
# What the provider is called on the page of signing in; empty: by its host.
OIDC_NAME = os.environ.get("CHANCERY_OIDC_NAME", "")
if len({bool(it) for it in (OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET)}) > 1:
    raise ImproperlyConfigured(
        "CHANCERY_OIDC_ISSUER, CHANCERY_OIDC_CLIENT_ID and CHANCERY_OIDC_CLIENT_SECRET go together"
    )
