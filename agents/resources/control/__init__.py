"""Who acts, what waits, what was decided and done: approvals, receipts, webhooks."""
