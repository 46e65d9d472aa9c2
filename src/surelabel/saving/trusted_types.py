"""Which types may be in a model's file, by their exact names; and where those of older files live now.

Exact names, so that a file cannot bring in anything else of these packages. Beside them skops trusts
scikit-learn's public estimators, arrays, random states, and functions of one number.
"""

from __future__ import annotations

from typing import Any

# Where the package's own types live; their names, without the module, are never used twice.
_OWN = {
    "advice.cleaning": "Cleaning",
    "allocation": "AdaptiveThreshold Threshold Transport",
    "budget": "Budget",
    "classifier": "PseudoLabelClassifier",
    "committees.cleaned": "Cleaned",
    "committees.encoded": "Encoded",
    "committees.encoding": "Binned Dense Encoder",
    "committees.models.bayes": "Bayes",
    "committees.models.boosting": "BoostedBins",
    "committees.models.gaussian": "Gaussian",
    "committees.models.graph": "Spreading",
    "committees.models.kernel": "Kernel",
    "committees.models.margins": "Margins",
    "committees.models.trees": "OutOfBag",
    "committees.panel": "Panel Repeated Wrapped",
    "committees.random_xgboost": "Grown RandomXGBoost",
    "committees.text": "Terms TextSpace",
    "committees.text_encoding": "ReadsText TextBesideNumbers TextBesideTable WholeRow Words",
    "committees.unlike": "Unlike",
    "confidence": "Entropy Everything Plain Spread TTest TotalVariance",
    "filling.evidence": "Evidence",
    "filling.likeness": "Likeness",
    "heldout.record": "HeldOut",
    "heldout.verdict": "Verdict",
    "negatives": "Negatives",
    "reading.columns": "Columns",
    "reading.features": "numbers",
    "released": "Released",
    "rounds.records": "Kept Round Sketch",
    "rounds.several": "LabelRounds",
    "saving.codec": "Objects Pairs Sparse Text",
    "saving.native": "Boosted Branches Neighbors",
    "saving.packed": "Forest Steps",
    "saving.pandas_values": (
        "Categories Column Duration Extended Frame Levels Missing Moment Range RowNames Span Term Zoned"
    ),
    "torch.network": "Network",
    "torch.training": "Training",
    "transport.solver": "Certificate",
}
_OTHERS = {
    "datetime": "date datetime time timedelta timezone",
    "decimal": "Decimal",
    "sklearn.calibration": "_CalibratedClassifier _SigmoidCalibration",
    "sklearn.gaussian_process._gpc": "_BinaryGaussianProcessClassifierLaplace",
    "sklearn.gaussian_process.kernels": (
        "ConstantKernel DotProduct ExpSineSquared Exponentiation Matern Product RBF RationalQuadratic Sum "
        "WhiteKernel"
    ),
    "sklearn.metrics._dist_metrics": (
        "ChebyshevDistance64 EuclideanDistance64 ManhattanDistance64 MinkowskiDistance64"
    ),
    "sklearn.neural_network._stochastic_optimizers": "AdamOptimizer SGDOptimizer",
    "xgboost.sklearn": "XGBClassifier XGBRFClassifier",
}
_HOME = {name: f"surelabel.{module}" for module, names in _OWN.items() for name in names.split()}
TRUSTED = frozenset(
    [f"{module}.{name}" for name, module in _HOME.items()]
    + [f"{module}.{name}" for module, names in _OTHERS.items() for name in names.split()]
)


def at_home(state: Any) -> bool:
    """Name the package's own types in a skops schema by where they live now; whether any had moved.

    A file of an older release names the modules that they lived in then.

    Examples
    --------
    >>> schema = {"__module__": "surelabel.unlike", "__class__": "Unlike"}
    >>> at_home(schema), schema["__module__"]
    (True, 'surelabel.committees.unlike')
    """
    moved, states = False, [state]
    while states:
        state = states.pop()
        if isinstance(state, list):
            states += state
        elif isinstance(state, dict):
            states += state.values()
            module, home = state.get("__module__"), _HOME.get(str(state.get("__class__")))
            ours = isinstance(module, str) and module.split(".")[0] == "surelabel"
            if ours and home is not None and module != home:
                state["__module__"], moved = home, True
    return moved
