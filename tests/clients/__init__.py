"""Clients that others wrote, at our server: frameworks of agents, each with a scripted model."""
