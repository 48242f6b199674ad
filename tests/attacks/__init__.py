"""Attacks by mail, event, file, memory and context on an agent that believes what it reads."""
