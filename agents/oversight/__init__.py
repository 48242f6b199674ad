"""How people decide is kept and handed out, and who stands in for whom."""
