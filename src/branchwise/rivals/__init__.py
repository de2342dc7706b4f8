"""Other systems for the same task, with the model's own protocol, so that one comparison measures them all."""

from branchwise.rivals.protocol import System
from branchwise.rivals.registry import holds_rival, kind_of, load_system, new_rival, rival, rivals

__all__ = ["System", "holds_rival", "kind_of", "load_system", "new_rival", "rival", "rivals"]
