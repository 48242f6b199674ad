"""Mail by its address: messages, threads, drafts, attachments, submissions."""
