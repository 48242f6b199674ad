"""What an account is configured with: settings, and credentials encrypted at rest."""
