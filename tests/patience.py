"""How long tests wait for what is to happen; whatever takes longer hangs."""

# In seconds: a busy machine may take a minute over what usually takes a second.
LONG = 120.0
