"""The tools of mail: reading, drafting, changing, and sending what a person approves."""
