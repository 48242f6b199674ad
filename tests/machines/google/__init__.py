"""Google's Calendar, Tasks and People on loopback: what the clients of ours use of them, strictly."""
