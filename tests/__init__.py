"""The tests; a package, so that rooms may name their files alike and share strategies."""
