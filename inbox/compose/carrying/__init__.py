"""A goal's own words carried into the letter, where no act is known for them."""
