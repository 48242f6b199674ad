"""Finding memories by words and meaning, with no model: stems, rarity, related words, spellings."""
