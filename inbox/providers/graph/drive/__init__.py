"""Files in OneDrive."""
