"""People, kept in step with the cards of address books."""
