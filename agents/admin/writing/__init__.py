"""The pages on which a person writes mail themselves."""
