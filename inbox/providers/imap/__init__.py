"""Mail that lies on an IMAP server (RFC 9051): `MailStore` over one connection."""
