"""Optimal transport of many rows to few columns, each column's mass given or bounded.

The problem: minimise <Q, C> + epsilon * sum Q (log Q - 1) over Q >= 0 whose rows sum to
`row_mass` and whose columns sum to a value within [lower, upper]; rows may leave mass
unassigned where `slack` allows it. `semidual` has the mathematics, `entropic` the
strategy, `linear` the exact limit.
"""

from .problem import Rows
from .solver import Assignment, Certificate, Rule, Solution, solve

__all__ = ["Assignment", "Certificate", "Rows", "Rule", "Solution", "solve"]
