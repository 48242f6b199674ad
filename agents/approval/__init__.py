"""An approval's whole life: sealed, pending, decided, closed."""
