"""CalDAV (RFC 4791), CardDAV (RFC 6352) and WebDAV (RFC 4918): one provider for all three."""
