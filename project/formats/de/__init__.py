"""The formats of German pages."""
