"""The same method on a Dask cluster: for tables larger than one machine.

Needs Dask: `pip install ".[dask]"` in a clone. Rows stay where they are; the client sees labelled rows,
as far as there are not too many, samples of bounded size, and sums.
"""

from importlib.util import find_spec

if find_spec("distributed") is None:
    raise ImportError('surelabel.dask needs Dask. In a clone of surelabel, pip install ".[dask]" brings it.')

from .classifier import DaskPseudoLabelClassifier
from .place import LostSchedulerError

__all__ = ["DaskPseudoLabelClassifier", "LostSchedulerError"]
