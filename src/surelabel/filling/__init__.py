"""Which labels are handed out, and what is promised of them."""

from .curve import Curve, fill_curve
from .deciding import fill
from .evidence import Evidence, cells, evidence_of
from .more import More, labels_needed
from .record import FILLED, GIVEN, LEFT, STATUSES, ClassFilled, Filling, ShareRight

__all__ = [
    "FILLED",
    "GIVEN",
    "LEFT",
    "STATUSES",
    "ClassFilled",
    "Curve",
    "Evidence",
    "Filling",
    "More",
    "ShareRight",
    "cells",
    "evidence_of",
    "fill",
    "fill_curve",
    "labels_needed",
]
