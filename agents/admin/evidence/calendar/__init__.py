"""What a proposal about an event says, and the days that it is on."""
