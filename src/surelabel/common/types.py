"""Short names for the types that every room writes in its signatures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]
# Labels, or cells of a column: numbers, text or objects.
Values = NDArray[Any]
# X in any form: an array, a SciPy sparse matrix, a frame of pandas, polars or another library.
Table = Any
# y in any form: a list, an array, a series; a matrix, a frame, lists of tags where rows have several labels.
AnyLabels = Any
# A fitted PseudoLabelClassifier, for rooms below it that know its public attributes only.
Fitted = Any
# As scikit-learn takes it: a seed, a generator, or None for a new one each time.
RandomState = int | np.random.RandomState | None
