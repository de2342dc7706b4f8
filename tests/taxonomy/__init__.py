"""Tests of the label tree, label sets and the taxonomy formats."""
