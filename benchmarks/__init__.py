"""Benchmarks: each is a command that writes its figures as JSON beside the machine that they were measured on."""
