"""Tables from files and back: exactly as written, whole or not at all."""

from ..common.errors import InputError, OutputError, did_you_mean, listed
from .claiming import alone_in
from .formats import TEXT_KINDS, Format, format_of
from .label_column import target_values
from .opening import check_file
from .reading import Table, read_row_groups, read_table
from .writing import replacing, write_bytes, write_table

__all__ = [
    "TEXT_KINDS",
    "Format",
    "InputError",
    "OutputError",
    "Table",
    "alone_in",
    "check_file",
    "did_you_mean",
    "format_of",
    "listed",
    "read_row_groups",
    "read_table",
    "replacing",
    "target_values",
    "write_bytes",
    "write_table",
]
