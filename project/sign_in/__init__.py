"""Signing in: fresh logins, second factors, and what somebody has to do first."""
