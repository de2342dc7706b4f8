"""Tests of the named benchmarks, on invented files in their formats."""
