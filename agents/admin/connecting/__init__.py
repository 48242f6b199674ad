"""How a program connects as an agent: lines to copy for the usual clients, and its first call."""
