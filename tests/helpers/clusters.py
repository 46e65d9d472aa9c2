"""Tables in parts, and whether a cluster does with them what one machine does."""

import dask.array as da
from numpy.testing import assert_array_equal

from surelabel import PseudoLabelClassifier
from surelabel.dask import DaskPseudoLabelClassifier


def in_shards(array, n_shards):
    rows = -(-len(array) // n_shards)
    return da.from_array(array, chunks=(rows, -1) if array.ndim == 2 else rows)


def labels_of(clf):
    """Labels and all that is known of each row, from either estimator."""
    if isinstance(clf, PseudoLabelClassifier):
        return clf.pseudo_labels_.reset_index(drop=True)
    lines = clf.labels_.compute().reset_index(drop=True)
    return lines[lines["round"] != 0].reset_index(drop=True)


def texts(column):
    return column.astype("string").fillna("").tolist()


def assert_same_labels(one, many):
    one, many = labels_of(one), labels_of(many)
    for name in ("label", "guess", "runner_up", "status"):
        assert texts(many[name]) == texts(one[name])
    for name in ("probability", "gap", "confidence", "round"):
        assert_array_equal(many[name].to_numpy(), one[name].to_numpy())


def fitted(clf, X, y, n_shards, **options):
    return DaskPseudoLabelClassifier(clf, **options).fit(in_shards(X, n_shards), in_shards(y, n_shards))
