"""What changes the rows of the domain; whoever calls, one operation does the work."""
