"""What reads values of one kind in a text: dates, numbers, people, places."""
