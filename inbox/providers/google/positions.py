"""Positions that are tokens of Google's."""

import json


class UnknownTokenError(Exception):
    """The server does not know a sync token any more."""


def read_token(position: str) -> str:
    """Return the token of a position; empty where it is none of ours."""
    try:
        given = json.loads(position)
        token = given["token"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return ""
    return token if isinstance(token, str) else ""


def write_token(token: str) -> str:
    """Return the position of a token."""
    return json.dumps({"token": token})
