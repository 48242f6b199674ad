"""What agents noted of strangers' words: its queue, its pages, and forgetting a source."""
