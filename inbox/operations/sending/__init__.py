"""The way out: submissions, delivery, pauses, copies, and what comes back."""
