"""What the templates of the review are written with."""
