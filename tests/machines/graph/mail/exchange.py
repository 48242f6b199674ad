"""MIME as Exchange writes it: what it was given, taken apart and put together in its own way.

The order of headers, line endings, boundaries and transfer encodings are its own; headers of its
own come, and Bcc goes. What a person reads, and the bytes of attachments, stay.
"""

import base64
import email
import email.policy
import secrets
from email.message import EmailMessage, MIMEPart

# In this order; of all others those that begin with X- stay.
_KEPT = (
    "From", "Sender", "Reply-To", "To", "CC", "Subject", "Date", "Message-ID", "References",
    "In-Reply-To", "Importance",
)  # fmt: skip
_POLICY = email.policy.SMTP.clone(max_line_length=998)


def rewritten(raw: bytes) -> bytes:
    """Return a message as Exchange hands it out."""
    given = email.message_from_bytes(raw, policy=_POLICY)
    made = EmailMessage(policy=_POLICY)
    for name in _KEPT:
        if given[name] is not None:
            made[name] = str(given[name])
        if name == "Subject" and given[name] is not None:
            made["Thread-Topic"] = str(given[name])
            made["Thread-Index"] = secrets.token_urlsafe(22)
    made["Accept-Language"] = "en-US"
    made["Content-Language"] = "en-US"
    made["X-MS-Has-Attach"] = "yes" if any(True for _ in given.iter_attachments()) else ""
    made["X-MS-TNEF-Correlator"] = ""
    for name, value in given.items():
        if name.lower().startswith("x-") and name not in made:
            made[name] = str(value)
    _fill(made, given, depth=0)
    return made.as_bytes()


def _fill(made: MIMEPart, given: MIMEPart, depth: int) -> None:
    if given.is_multipart() and given.get_content_maintype() == "multipart":
        kind = given.get_content_subtype()
        made["Content-Type"] = f'multipart/{kind}; boundary="_{depth:03}_{secrets.token_hex(16)}_"'
        made.set_payload([])
        for part in given.iter_parts():
            below = MIMEPart(policy=_POLICY)
            _fill(below, part, depth + 1)
            made.attach(below)
        return
    if given.get_content_maintype() == "text" and not given.is_attachment():
        text = given.get_content()
        was = str(given["Content-Transfer-Encoding"] or "7bit").lower()
        cte = "quoted-printable" if was == "base64" else "base64"
        made.set_content(text, subtype=given.get_content_subtype(), charset="utf-8", cte=cte)
        if method := given.get_param("method"):
            made.set_param("method", str(method))
        return
    content = (
        given.get_payload(decode=True) if not given.is_multipart() else bytes(given.get_payload(0))
    )
    name = given.get_filename()
    maintype, subtype = given.get_content_type().split("/")
    if maintype in ("message", "multipart"):
        maintype, subtype = "application", "octet-stream"
    made.set_content(content, maintype, subtype, cte="base64", filename=name)
    if given["Content-ID"]:
        made["Content-ID"] = str(given["Content-ID"])
    if name:
        made["Content-Description"] = name
        made.set_param("size", str(len(content)), header="Content-Disposition")


def attached(
    raw: bytes, name: str, kind: str, content: bytes, content_id: str, *, is_inline: bool
) -> bytes:
    """Return a message with one attachment more, the last of all."""
    maintype, subtype = kind.split("/")
    part = MIMEPart(policy=_POLICY)
    part.set_content(
        b"", maintype, subtype, cte="base64", filename=name,
        disposition="inline" if is_inline else "attachment",
        **({"cid": f"<{content_id}>"} if content_id else {}),
    )  # fmt: skip
    return _with_part(raw, part.as_bytes().rstrip() + b"\r\n\r\n" + coded(content))


def coded(content: bytes) -> bytes:
    """Return bytes in base64, in lines."""
    whole = base64.b64encode(content)
    return b"".join(whole[at : at + 76] + b"\r\n" for at in range(0, len(whole), 76))


def _with_part(raw: bytes, part: bytes) -> bytes:
    """Put a part before the end; what has others already is not read for it, however large."""
    head = email.message_from_bytes(raw.partition(b"\r\n\r\n")[0], policy=_POLICY)
    if head.get_content_type() != "multipart/mixed":
        message = email.message_from_bytes(raw, policy=_POLICY)
        assert isinstance(message, EmailMessage)
        message.make_mixed()
        raw, head = message.as_bytes(), message
    boundary = f"--{head.get_boundary()}".encode()
    before, end, after = raw.rpartition(boundary + b"--")
    assert end, "the message has no end"
    return b"".join((before, boundary, b"\r\n", part, end, after))
