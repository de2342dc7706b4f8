"""Tests of bulk prediction."""
