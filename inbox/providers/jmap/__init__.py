"""Mail by JMAP (RFC 8620, 8621): read by change tokens, sent as submissions."""
