"""Tasks of the Agent2Agent protocol: what becomes of them, and who is told."""
