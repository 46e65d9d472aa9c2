"""A run: rounds of labelling, the final classifier, whether it helped, what became of each row."""

from .labels import Labels
from .loop import rounds
from .records import Parts, Round

__all__ = ["Labels", "Parts", "Round", "rounds"]
