"""What the owner's language model is asked about proposals, mail and drafts, and what counts."""
