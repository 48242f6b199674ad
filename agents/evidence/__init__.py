"""What a reviewer is shown of a proposal, and why: found from rows alone."""
