"""Benchmarks, each against an anchor: something else that does the same, in the same run."""
