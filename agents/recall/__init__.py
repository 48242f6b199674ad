"""Finding memories by words and meaning, with no model: stems, rarity, kin and near spellings."""
