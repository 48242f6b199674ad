"""A language model of the owner's: asked within bounds, and believed only by what it quotes."""
