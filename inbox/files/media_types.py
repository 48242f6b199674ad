"""What kind of content a file is sent as, by its name alone."""

import mimetypes

# Read from Python's own table: what the machine knows besides would make two machines differ.
_MEDIA_TYPES = mimetypes.MimeTypes()
_ANY_BYTES = "application/octet-stream"


def media_type_of(name: str) -> str:
    """Return the media type under which a file of this name goes with a message."""
    guessed = _MEDIA_TYPES.guess_type(name)[0] or _ANY_BYTES
    # Mail within mail, and mail in parts, would be read as our own; it goes as plain bytes.
    kept = guessed.partition("/")[0] not in {"message", "multipart"}
    return guessed if kept else _ANY_BYTES


def kept_type(name: str) -> str:
    """Return the media type of a file of this name that is kept here."""
    if name.lower().endswith(".md"):
        return "text/markdown"
    return _MEDIA_TYPES.guess_type(name)[0] or _ANY_BYTES
