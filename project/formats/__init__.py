"""How dates and times are written where no script runs: unmistakable, and with their zone."""
