"""A run: rounds of labelling, the final classifier, whether it helped, what became of each row."""

from ..heldout import Verdict
from .checkpoint import Checkpoint
from .labels import Labels
from .loop import rounds
from .records import Parts, Round

__all__ = ["Checkpoint", "Labels", "Parts", "Round", "Verdict", "rounds"]
