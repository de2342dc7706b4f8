"""Tests of the sequence room."""
