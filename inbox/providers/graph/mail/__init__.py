"""Mail at Microsoft Graph: followed by lists of changes, changed in place, and sent."""
