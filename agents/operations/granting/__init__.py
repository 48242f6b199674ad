"""What people grant to who asks: an account to an agent, an agent to a program."""
