"""Raw messages for tests."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

MONDAY = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def letter(
    name: str = "one",
    *,
    references: Sequence[str] = (),
    in_reply_to: str = "",
    sender: str = "Ada Byron <ada@customer.example>",
    to: str = "office@lantern.example",
    subject: str = "The lamps",
    day: float = 0,
    text: str = "",
    message_id: str | None = None,
    headers: str = "",
) -> bytes:
    """Return a message whose id is `<name@customer.example>`, sent `day` days after a Monday."""
    identifier = f"<{name}@customer.example>" if message_id is None else message_id
    lines = [
        f"From: {sender}",
        f"To: {to}",
        f"Subject: {subject}",
        f"Date: {format_datetime(MONDAY + timedelta(days=day))}",
        f"Message-ID: {identifier}" if identifier else "",
        f"References: {' '.join(f'<{r}@customer.example>' for r in references)}"
        if references
        else "",
        f"In-Reply-To: <{in_reply_to}@customer.example>" if in_reply_to else "",
        headers.strip(),
    ]
    head = "\r\n".join(line for line in lines if line)
    return f"{head}\r\n\r\n{text or f'This is {name}.'}\r\n".encode()
