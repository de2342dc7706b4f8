"""Benchmarks from their raw files."""
