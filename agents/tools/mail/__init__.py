"""The tools of mail: reading, drafting, changing, and what a person seals."""
