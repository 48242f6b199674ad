"""Entity tags (RFC 9110 8.8.3): strong, and made of nothing but the content."""

import hashlib
import re

from pydantic import BaseModel

_TAG = re.compile(r'(W/)?("[\x21\x23-\x7e\x80-\xff]*")')


def etag_of(content: bytes) -> str:
    """Return the tag of a representation's bytes."""
    return f'"{hashlib.sha256(content).hexdigest()[:32]}"'


def etag_of_answer(answer: BaseModel) -> str:
    """Return the tag that an answer has where it is read by its address."""
    return etag_of(answer.model_dump_json(by_alias=True, exclude_none=True).encode())


def names_weakly(header: str, tag: str) -> bool:
    """Return True if an `If-None-Match` names the tag (RFC 9110 13.1.2)."""
    return header.strip() == "*" or tag in {found[1] for found in _TAG.findall(header)}


def names_strongly(header: str, tag: str) -> bool:
    """Return True if an `If-Match` names the tag (RFC 9110 13.1.1): a weak one never does."""
    strong = {quoted for weak, quoted in _TAG.findall(header) if not weak}
    return header.strip() == "*" or tag in strong


def is_list_of_tags(header: str) -> bool:
    """Return True if a header is `*` or a list of tags."""
    rest = _TAG.sub("", header)
    return header.strip() == "*" or (rest != header and not rest.strip(", \t"))
