"""HTML mail made harmless, and as text. No Django here."""

from inbox.html.sanitiser import SafeHtml, sanitise

__all__ = ["SafeHtml", "sanitise"]
