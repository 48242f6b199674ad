"""What the marks on claims are worth: letters of made-up offices, right ones and wrong ones."""
