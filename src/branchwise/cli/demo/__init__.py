"""``branchwise demo``: the main job on documents that ship with the package, and a page that shows how it went."""

from branchwise.cli.demo.command import demo

__all__ = ["demo"]
