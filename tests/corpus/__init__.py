"""Tests of documents: reading, writing, checking, splitting."""
