"""Tables from files and back: exactly as written, whole or not at all."""

from .cells import marks_in
from .claiming import alone_in
from .errors import InputError, OutputError, did_you_mean, listed
from .features import features, features_and_notes
from .formats import TEXT_KINDS, Format, format_of
from .kinds import Kind, kinds_of, target_column
from .label_column import target_values
from .opening import check_file
from .reading import Table, read_row_groups, read_table
from .remarks import option
from .survey import is_mark
from .writing import replacing, write_bytes, write_table

__all__ = [
    "TEXT_KINDS",
    "Format",
    "InputError",
    "Kind",
    "OutputError",
    "Table",
    "alone_in",
    "check_file",
    "did_you_mean",
    "features",
    "features_and_notes",
    "format_of",
    "is_mark",
    "kinds_of",
    "listed",
    "marks_in",
    "option",
    "read_row_groups",
    "read_table",
    "replacing",
    "target_column",
    "target_values",
    "write_bytes",
    "write_table",
]
