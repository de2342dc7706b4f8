"""What ``python -m branchwise`` runs."""

from branchwise.cli.main import run

run()
