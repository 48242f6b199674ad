"""How something is said in a language: its phrases, whose words, whether a sentence is whole."""
