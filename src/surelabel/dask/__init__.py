"""The same method on a Dask cluster: for tables larger than one machine.

Needs Dask: `pip install "surelabel[dask]"`. Rows stay where they are; the client sees labelled rows,
as far as there are not too many, samples of bounded size, and sums.
"""

from importlib.util import find_spec

if find_spec("distributed") is None:
    raise ImportError('surelabel.dask needs Dask. pip install "surelabel[dask]" brings it.')

from .classifier import DaskPseudoLabelClassifier
from .place import LostSchedulerError

__all__ = ["DaskPseudoLabelClassifier", "LostSchedulerError"]
