"""Lists under `/api/v1/`: their filters, keyset pages and entity tags."""
