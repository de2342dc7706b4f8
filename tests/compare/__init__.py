"""The comparison of systems."""
