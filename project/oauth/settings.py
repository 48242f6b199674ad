"""The settings of django-oauth-toolkit, which `project.settings` takes over.

A client is public, and of a token's texts only hashes are kept. `iss` is told with each answer (RFC
9207), and of PKCE there is S256 alone.
"""

# Programs that take their answer on a person's machine by a scheme of their own (RFC 8252, 7.1).
PRIVATE_SCHEMES = (
    "claude", "code-oss", "cursor", "goose", "raycast", "vscode", "vscode-insiders", "vscodium",
    "windsurf", "zed",
)  # fmt: skip
OAUTH2_PROVIDER = {
    "OAUTH2_VALIDATOR_CLASS": "project.oauth.validator.Validator",
    "SCOPES_BACKEND_CLASS": "project.oauth.scopes.AgentScopes",
    "ACCESS_TOKEN_GENERATOR": "project.oauth.validator.new_access_text",
    "REFRESH_TOKEN_GENERATOR": "project.oauth.validator.new_renewing_text",
    # The same as in `agents.operations.granting.connections`, which is what counts.
    "ACCESS_TOKEN_EXPIRE_SECONDS": 3600,
    "REFRESH_TOKEN_EXPIRE_SECONDS": 30 * 24 * 3600,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    "PKCE_REQUIRED": True,
    # http is for this very machine alone: `project.oauth.redirects`.
    "ALLOWED_REDIRECT_URI_SCHEMES": ["https", "http", *PRIVATE_SCHEMES],
    "ALLOW_LOCALHOST_LOOPBACK": True,
    "CIMD_ENABLED": True,
    "CIMD_METADATA_FETCHER": "project.oauth.documents.GuardedFetcher",
    "CIMD_REGISTRATION_PERMISSION_CLASSES": ["project.oauth.documents.OnlyForAPerson"],
    "DCR_ENABLED": True,
    "OAUTH2_RESPONSE_TYPES_SUPPORTED": ["code"],
    "OAUTH2_GRANT_TYPES_SUPPORTED": ["authorization_code", "refresh_token"],
    "OAUTH2_TOKEN_ENDPOINT_AUTH_METHODS_SUPPORTED": ["none"],
    "OAUTH2_PROTECTED_RESOURCE_NAME": "Chancery",
    **{
        f"COMPLIANT_BCP_RFC9700_{gate}": True
        for gate in (
            "IMPLICIT_GRANT", "PASSWORD_GRANT", "PKCE_METHOD", "ACCESS_TOKEN_TRANSPORT",
            "AUTHZ_RESPONSE_ISS", "TOKEN_STORAGE", "REFRESH_TOKEN", "REDIRECT_URI_MATCHING",
            "PKCE_REQUIRED",
        )
    },
}  # fmt: skip
