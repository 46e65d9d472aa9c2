"""A run: rounds of labelling, the final classifier, whether it helped, what became of each row."""

from .labels import Labels
from .loop import Parts, Round, rounds

__all__ = ["Labels", "Parts", "Round", "rounds"]
