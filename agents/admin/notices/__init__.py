"""What a person sets about notices, and what an open page learns of them."""
