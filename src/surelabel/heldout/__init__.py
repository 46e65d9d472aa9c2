"""What is said of rows by those that have not seen their labels: one record, many readers."""

from .record import HeldOut
from .verdict import Verdict

__all__ = ["HeldOut", "Verdict"]
