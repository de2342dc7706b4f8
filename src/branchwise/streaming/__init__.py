"""Bulk prediction: documents from files or a pipe, a chunk at a time, to files that survive a kill."""
