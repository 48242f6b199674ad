"""Days and times that a message agrees to, held against our calendar and what others ruled out."""
