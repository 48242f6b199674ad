"""The folders in which an agent and this server hand each other files."""
