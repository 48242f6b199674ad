"""What people change by hand, each change with its receipt: files, memories, schedules, values."""
