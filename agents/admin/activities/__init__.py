"""Activities: what came in, why it stands where it stands, and what a person does with it."""
