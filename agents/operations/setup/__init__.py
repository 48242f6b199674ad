"""What a workspace begins with: logins, the demo, or somebody's own mail."""
