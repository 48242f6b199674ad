"""The addresses of signing in, below /admin/; of allauth's own, no others are served."""

from django.contrib import admin
from django.urls import path

from inbox.admin.fresh_login import freshly
from project.sign_in import me, oidc_pages, pages, passkeys, sessions_page

_page = admin.site.admin_view

urlpatterns = [
    path("login/", pages.SignIn.as_view(), name="account_login"),
    path("login/code/", pages.EnterCode.as_view(), name="mfa_authenticate"),
    path("login/passkey/", passkeys.SignInByPasskey.as_view(), name="mfa_login_webauthn"),
    path("login/oidc/", oidc_pages.begin, name="oidc-begin"),
    path("login/oidc/callback/", oidc_pages.callback, name="oidc-callback"),
    path("password_change/", _page(pages.ChangePassword.as_view()), name="password-change"),
    path("me/", _page(me.me), name="me"),
    path("me/sign-out/", _page(me.sign_out_everywhere), name="sign-out-everywhere"),
    path("me/sessions/", _page(sessions_page.sessions), name="sessions"),
    path("me/sessions/end/", _page(sessions_page.end_others), name="sessions-end"),
    path("me/sessions/<int:row_id>/end/", _page(sessions_page.end_session), name="session-end"),
    path(
        "me/passkeys/add/",
        _page(freshly(passkeys.AddPasskey.as_view())),
        name="mfa_add_webauthn",
    ),
    path(
        "me/passkeys/<int:pk>/remove/",
        _page(freshly(passkeys.RemovePasskey.as_view())),
        name="mfa_remove_webauthn",
    ),
    path("me/app/", _page(freshly(pages.SetUpApp.as_view())), name="mfa_activate_totp"),
    path("me/app/off/", _page(freshly(pages.TurnOff.as_view())), name="mfa_deactivate_totp"),
    path("me/codes/", _page(freshly(pages.ShowCodes.as_view())), name="mfa_view_recovery_codes"),
    path(
        "me/codes/new/",
        _page(freshly(pages.NewCodes.as_view())),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "me/codes/text/",
        _page(freshly(pages.DownloadCodes.as_view())),
        name="mfa_download_recovery_codes",
    ),
]
