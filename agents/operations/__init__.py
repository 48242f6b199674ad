"""What changes the rows of agents: tokens, stops, schedules, memory, webhooks, the demo."""
