"""Internet messages, as bytes and as what they say: RFC 5322, MIME, real life. No Django."""
