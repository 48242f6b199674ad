"""How drafts meet goals: goals as agents write them, over letters that were not tuned on."""
