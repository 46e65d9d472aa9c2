"""What the cells of a column are, whatever held them; one inference for files and for frames."""

from .column import marks_in
from .features import features, features_and_notes
from .kinds import Kind, kinds_of, target_column
from .remarks import option
from .survey import is_mark

__all__ = [
    "Kind",
    "features",
    "features_and_notes",
    "is_mark",
    "kinds_of",
    "marks_in",
    "option",
    "target_column",
]
