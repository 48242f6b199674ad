"""What stands beside a proposal: where it comes from, what it changes, what it rests on."""
