"""The formats of the pages' one language."""
