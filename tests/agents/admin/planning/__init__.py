"""Tests of events and to-dos that a person changes in the browser."""
