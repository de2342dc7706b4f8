"""Tests of tables and pictures."""
