"""Rivals that are neural networks trained from scratch: what they share, and one file for each one's idea."""
