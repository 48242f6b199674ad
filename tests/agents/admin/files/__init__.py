"""Tests of the pages of files."""
