"""What the templates of the domain are written with."""
