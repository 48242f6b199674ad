"""Messages made up by a seed, and whether what a reviewer is shown of them is what they say."""
